package dev.onlyonce.testkit.history;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes the text of a {@link HistoryFile} apart, whose format is drawn there. */
final class HistoryReader {
  private final Path file;
  private final String text;
  private final List<History.Entry> entries = new ArrayList<>();
  private final List<Integer> tornLines = new ArrayList<>();
  private int line = 1;

  HistoryReader(Path file, String text) {
    this.file = file;
    this.text = text;
  }

  History read() {
    int start = 0;
    if (!text.isEmpty() && text.charAt(0) != '>') {
      throw foreign("does not begin with an event", null);
    }
    while (start < text.length()) {
      int next = text.indexOf('>', start + 1);
      piece(start, next < 0 ? text.length() : next);
      start = next < 0 ? text.length() : next;
    }
    return new History(entries, tornLines);
  }

  /** From a mark to the next one: an event, or the beginning of one. */
  private void piece(int start, int end) {
    int close = text.indexOf('<', start);
    boolean whole = close >= 0 && close < end;
    String rest = text.substring(whole ? close + 1 : start, end);
    if (whole) {
      if (!rest.isEmpty() && !rest.equals("\n")) {
        throw foreign("goes on after its event", null);
      }
      entries.add(new History.Entry(line, start, close + 1, event(start + 1, close)));
      line += rest.length();
    } else {
      if (rest.indexOf('\n') >= 0) {
        throw foreign("ends within an event", null);
      }
      tornLines.add(line);
    }
  }

  private HistoryEvent event(int start, int end) {
    try {
      return HistoryEvent.parse(text.substring(start, end));
    } catch (IllegalArgumentException e) {
      throw foreign(e.getMessage(), e);
    }
  }

  private IllegalStateException foreign(@Nullable String what, @Nullable Throwable cause) {
    return new IllegalStateException(file + " line " + line + " " + what, cause);
  }
}
