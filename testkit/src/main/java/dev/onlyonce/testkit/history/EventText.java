package dev.onlyonce.testkit.history;

import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes and reads the text form of a {@link HistoryEvent}, which is drawn there. */
final class EventText {
  private static final HexFormat HEX = HexFormat.of();
  private static final Map<String, Kind> KINDS =
      Arrays.stream(Kind.values()).collect(Collectors.toMap(EventText::word, kind -> kind));

  private EventText() {}

  static String write(HistoryEvent event) {
    StringBuilder out = new StringBuilder(128);
    out.append(word(event.kind()));
    text(out, "key", event.key());
    number(out, "token", event.token());
    number(out, "attempt", event.attempt());
    text(out, "process", event.process());
    number(out, "since", event.sinceBytes());
    number(out, "at", micros(event.at()));
    text(out, "detail", event.detail());
    return out.toString();
  }

  static HistoryEvent read(String text) {
    Fields fields = new Fields(List.of(text.split(" ", -1)));
    Kind kind = kind(fields.next());
    HistoryEvent event =
        new HistoryEvent(
            kind,
            fields.text("key"),
            fields.number("token"),
            Math.toIntExact(fields.number("attempt")),
            fields.text("process"),
            fields.number("since"),
            instant(fields.number("at")),
            fields.text("detail"));
    fields.requireNoMore();
    if (!write(event).equals(text)) {
      throw new IllegalArgumentException("not the canonical form");
    }
    return event;
  }

  /** Microseconds since the epoch, rounded down. ChronoUnit counts nanoseconds and overflows. */
  static long micros(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000), instant.getNano() / 1_000);
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private static String word(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Kind kind(String word) {
    Kind kind = KINDS.get(word);
    if (kind == null) {
      throw new IllegalArgumentException("unknown kind " + word);
    }
    return kind;
  }

  private static void number(StringBuilder out, String name, long value) {
    if (value != 0) {
      out.append(' ').append(name).append('=').append(value);
    }
  }

  private static void text(StringBuilder out, String name, String value) {
    if (!value.isEmpty()) {
      out.append(' ').append(name).append('=').append(escape(value));
    }
  }

  static String escape(String value) {
    StringBuilder out = new StringBuilder(value.length());
    for (int i = 0; i < value.length(); i++) {
      append(out, value.charAt(i));
    }
    return out.toString();
  }

  private static void append(StringBuilder out, char unit) {
    boolean plain = unit > ' ' && unit < 0x7F;
    if (plain && unit != '\\' && unit != '=' && unit != '<' && unit != '>') {
      out.append(unit);
    } else {
      out.append("\\u").append(HEX.toHexDigits(unit));
    }
  }

  private static String unescape(String value) {
    if (value.indexOf('\\') < 0) {
      return value;
    }
    StringBuilder out = new StringBuilder(value.length());
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) != '\\') {
        out.append(value.charAt(i));
      } else if (value.startsWith("\\u", i) && i + 6 <= value.length()) {
        out.append((char) HexFormat.fromHexDigits(value, i + 2, i + 6));
        i += 5;
      } else {
        throw new IllegalArgumentException("an escape is incomplete");
      }
    }
    return out.toString();
  }

  /** The fields of one text, asked for in their order; a field that is absent has its default. */
  private static final class Fields {
    private final Iterator<String> rest;
    private String field = "";

    Fields(List<String> fields) {
      rest = fields.iterator();
    }

    String next() {
      String current = rest.next();
      field = rest.hasNext() ? rest.next() : "";
      return current;
    }

    String text(String name) {
      return unescape(value(name));
    }

    long number(String name) {
      String value = value(name);
      return value.isEmpty() ? 0 : Long.parseLong(value);
    }

    private String value(String name) {
      if (!field.startsWith(name + "=")) {
        return "";
      }
      String value = field.substring(name.length() + 1);
      field = rest.hasNext() ? rest.next() : "";
      return value;
    }

    void requireNoMore() {
      if (!field.isEmpty() || rest.hasNext()) {
        throw new IllegalArgumentException("unknown field " + field);
      }
    }
  }
}
