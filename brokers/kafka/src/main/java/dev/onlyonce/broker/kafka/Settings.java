package dev.onlyonce.broker.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads settings of clients, in which a value may be an object or the text of it. */
final class Settings {

  private Settings() {}

  static Map<String, Object> copy(Map<?, ?> given) {
    Map<String, Object> copy = new HashMap<>();
    given.forEach(
        (name, value) -> {
          if (value != null) {
            copy.put(String.valueOf(name), value);
          }
        });
    return copy;
  }

  /** The value as text; empty where there is none. */
  static String text(Map<String, ?> settings, String name) {
    Object value = settings.get(name);
    return value == null ? "" : value instanceof Class<?> type ? type.getName() : text(value);
  }

  private static String text(Object value) {
    return value.toString().strip();
  }

  /**
   * @throws IllegalArgumentException if a finding says that something is broken
   */
  static void requireUnbroken(List<KafkaFinding> findings) {
    for (KafkaFinding finding : findings) {
      if (finding.level() == KafkaFinding.Level.BROKEN) {
        throw new IllegalArgumentException(finding.sentence());
      }
    }
  }

  /**
   * @throws IllegalArgumentException if records of aborted transactions would be read
   */
  static void refuseUncommitted(Map<?, ?> consumer) {
    if (text(copy(consumer), "isolation.level").equalsIgnoreCase("read_uncommitted")) {
      throw new IllegalArgumentException(
          "isolation.level must not be read_uncommitted: leave it out, it is read_committed then");
    }
  }

  /**
   * @throws IllegalArgumentException if the setting names another class
   */
  static void requireOurs(Map<String, ?> settings, String name, Class<?> type) {
    String value = text(settings, name);
    if (!value.isEmpty() && !value.equals(type.getName())) {
      throw new IllegalArgumentException(
          "%s must be left out, was %s: bodies and keys are bytes here".formatted(name, value));
    }
  }
}
