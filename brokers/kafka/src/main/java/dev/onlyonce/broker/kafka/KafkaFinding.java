package dev.onlyonce.broker.kafka;

import org.jspecify.annotations.Nullable;

/**
 * What was found out about one setting.
 *
 * @param level how bad it is
 * @param place whose setting it is: {@code consumer}, {@code producer}, {@code topic orders}
 * @param setting as Kafka spells it
 * @param value what it is set to; null if it is not set or cannot be seen
 * @param sentence what that means, and the remedy
 */
public record KafkaFinding(
    Level level, String place, String setting, @Nullable String value, String sentence) {

  /** How bad a finding is. */
  public enum Level {
    /** Good to know, or not to be seen. */
    NOTE,
    /** It works, and may lose or double something. */
    UNSAFE,
    /** It contradicts what is promised: it is refused. */
    BROKEN
  }
}
