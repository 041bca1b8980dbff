package dev.onlyonce.app.audit;

import dev.onlyonce.app.output.JsonLines;
import java.io.PrintWriter;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/** An audit as JSON: all findings, one a line, and a last line with the summary. */
public final class JsonReport {

  private JsonReport() {}

  /** Prints the report. */
  public static void print(Audit audit, PrintWriter out) {
    try (JsonLines lines = new JsonLines(out)) {
      audit.findings(finding -> lines.object(json -> write(json, finding)));
      lines.object(json -> write(json, audit.summary()));
    }
  }

  private static void write(JsonGenerator json, Finding finding) {
    json.writeStringProperty("finding", finding.kind().name().toLowerCase(Locale.ROOT));
    json.writeStringProperty("key", finding.key().toString());
    json.writeNumberProperty("times", finding.times());
    if (finding.sent() != null) {
      json.writeName("sent");
      write(json, finding.sent());
    }
    json.writeArrayPropertyStart("effects");
    finding.effects().forEach(place -> write(json, place));
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, Place place) {
    json.writeStartObject();
    json.writeStringProperty("file", place.input());
    json.writeNumberProperty("line", place.line());
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Summary summary) {
    json.writeObjectPropertyStart("summary");
    json.writeNumberProperty("sentRecords", summary.sentRecords());
    json.writeNumberProperty("sentKeys", summary.sentKeys());
    json.writeNumberProperty("effectRecords", summary.effectRecords());
    json.writeNumberProperty("effectKeys", summary.effectKeys());
    json.writeNumberProperty("missing", summary.missing());
    json.writeNumberProperty("doubled", summary.doubled());
    json.writeNumberProperty("unexpected", summary.unexpected());
    json.writeNumberProperty("withoutKey", summary.withoutKey());
    json.writeNumberProperty("bad", summary.bad());
    json.writeEndObject();
  }
}
