package dev.onlyonce.app.cli;

import dev.onlyonce.app.output.JsonLines;
import dev.onlyonce.app.store.Finding;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints what was found out about a store, a line for each finding. */
final class FindingLines {

  private FindingLines() {}

  static void print(List<Finding> findings, PrintWriter out) {
    int widest = findings.stream().mapToInt(it -> it.topic().length()).max().orElse(1);
    for (Finding finding : findings) {
      String line = String.format("%-6s  %-" + widest + "s  ", level(finding), finding.topic());
      out.print(line + finding.sentence() + "\n");
    }
  }

  static void printJson(List<Finding> findings, PrintWriter out) {
    try (JsonLines lines = new JsonLines(out)) {
      findings.forEach(
          finding ->
              lines.object(
                  object -> {
                    object.writeStringProperty("level", level(finding));
                    object.writeStringProperty("topic", finding.topic());
                    object.writeStringProperty("sentence", finding.sentence());
                    finding.figures().forEach(object::writeNumberProperty);
                  }));
    }
  }

  private static String level(Finding finding) {
    return finding.level().name().toLowerCase(Locale.ROOT);
  }
}
