package dev.onlyonce.testkit.history;

import dev.onlyonce.testkit.history.History.Entry;
import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import dev.onlyonce.testkit.history.HistoryReport.Rule;
import dev.onlyonce.testkit.history.HistoryReport.Violation;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Words a violation: {@code key order-4711: what: claimed token 17 by w-1 (line 12), ...}. */
final class Sentence {
  private Sentence() {}

  static Violation about(Rule rule, String what, Entry... evidence) {
    List<Entry> entries = Arrays.stream(evidence).distinct().toList();
    String key = entries.get(entries.size() - 1).event().key();
    String subject = key.isEmpty() ? "" : "key " + EventText.escape(key) + ": ";
    String shown = entries.stream().map(Sentence::describe).collect(Collectors.joining(", "));
    List<Integer> lines = entries.stream().map(Entry::line).toList();
    return new Violation(rule, key, lines, subject + what + ": " + shown);
  }

  private static String describe(Entry entry) {
    HistoryEvent event = entry.event();
    String kind = event.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    String token = event.token() == 0 ? "" : " token " + event.token();
    String by = event.kind() == Kind.KILLED ? " " : " by ";
    String process = event.process().isEmpty() ? "" : by + EventText.escape(event.process());
    return kind + token + process + " (line " + entry.line() + ")";
  }
}
