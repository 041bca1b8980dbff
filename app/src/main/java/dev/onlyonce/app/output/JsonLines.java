package dev.onlyonce.app.output;

import java.io.PrintWriter;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * Writes JSON objects, one a line, in ASCII: other characters are escaped, so that neither the
 * locale nor a terminal can do anything to them. Not thread-safe.
 */
public final class JsonLines implements AutoCloseable {

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .rootValueSeparator("")
          .build();

  private final JsonGenerator generator;

  /** Writes to this writer, which stays the caller's to close. */
  public JsonLines(PrintWriter out) {
    this.generator = FACTORY.createGenerator(ObjectWriteContext.empty(), out);
  }

  /** What is in an object. */
  public interface Content {
    /** Writes the members. */
    void write(JsonGenerator json);
  }

  /** Writes an object. */
  public void object(Content content) {
    generator.writeStartObject();
    content.write(generator);
    generator.writeEndObject();
    generator.writeRaw('\n');
  }

  /** Hands on what was written. */
  @Override
  public void close() {
    generator.close();
  }
}
