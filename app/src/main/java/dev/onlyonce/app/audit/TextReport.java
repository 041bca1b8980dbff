package dev.onlyonce.app.audit;

import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.audit.Finding.Kind;
import dev.onlyonce.app.output.SafeText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An audit in words: the first findings of each kind, and the sums. */
public final class TextReport {

  private final Audit audit;
  private final int limit;
  private final PrintWriter out;

  private TextReport(Audit audit, int limit, PrintWriter out) {
    this.audit = audit;
    this.limit = limit;
    this.out = out;
  }

  /**
   * Prints the report.
   *
   * @param limit how many findings of each kind to show
   */
  public static void print(Audit audit, int limit, PrintWriter out) {
    new TextReport(audit, limit, out).print();
  }

  private void print() {
    Map<Kind, List<Finding>> first = new EnumMap<>(Kind.class);
    audit.findings(
        finding -> {
          List<Finding> shown = first.computeIfAbsent(finding.kind(), kind -> new ArrayList<>());
          if (shown.size() < limit) {
            shown.add(finding);
          }
        });
    Summary sums = audit.summary();
    line("sent        %s", sizes(sums.sentRecords(), sums.sentKeys()));
    line("effects     %s", sizes(sums.effectRecords(), sums.effectKeys()));
    section("missing", "sent, but without effect", sums.missing(), first.get(Kind.MISSING));
    section("doubled", "more than one effect", sums.doubled(), first.get(Kind.DOUBLED));
    section("unexpected", "effect, but not sent", sums.unexpected(), first.get(Kind.UNEXPECTED));
    line(verdict(sums));
  }

  private static String sizes(long records, long keys) {
    return Quantity.of(records, "record") + ", " + Quantity.of(keys, "different key");
  }

  private static String verdict(Summary sums) {
    if (sums.isEmpty()) {
      return "Nothing was compared: there is no record on either side.";
    }
    if (!sums.isClean()) {
      return "The two differ.";
    }
    return sums.leftOut() == 0
        ? "Every key that was sent has taken effect once, and no other has."
        : "Of what could be compared, every key that was sent has taken effect once, and no other.";
  }

  private void section(String name, String meaning, long count, @Nullable List<Finding> shown) {
    line("%-11s %,d%s", name, count, shown == null ? "" : ": " + meaning);
    if (shown == null) {
      return;
    }
    shown.forEach(finding -> out.print("  " + describe(finding) + "\n"));
    if (count > shown.size()) {
      line("  and %,d more; --limit shows more of them, --json all", count - shown.size());
    }
  }

  private static String describe(Finding finding) {
    String key = finding.key().toString();
    if (finding.sent() != null && finding.effects().isEmpty()) {
      return key + "  (" + safe(finding.sent()) + ")";
    }
    String places =
        finding.effects().stream().map(TextReport::safe).collect(Collectors.joining("; "));
    if (finding.times() == 1) {
      return key + "  (" + places + ")";
    }
    String more = finding.times() > finding.effects().size() ? "; ..." : "";
    return String.format(Locale.ROOT, "%s  %,d times (%s%s)", key, finding.times(), places, more);
  }

  private static String safe(Place place) {
    return SafeText.of(place.toString());
  }

  private void line(String format, Object... values) {
    out.print(String.format(Locale.ROOT, format, values) + "\n");
  }
}
