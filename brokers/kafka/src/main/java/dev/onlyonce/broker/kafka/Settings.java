package dev.onlyonce.broker.kafka;

import java.util.HashMap;
import java.util.Locale;
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
   * @throws IllegalArgumentException if the setting has this value
   */
  static void refuse(Map<String, ?> settings, String name, String refused, String remedy) {
    String value = text(settings, name);
    if (value.toLowerCase(Locale.ROOT).equals(refused)) {
      throw new IllegalArgumentException("%s must not be %s: %s".formatted(name, refused, remedy));
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
