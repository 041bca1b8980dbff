package dev.onlyonce.app.store;

import java.util.Map;

/**
 * What an examination has found out about a store.
 *
 * @param level how bad it is
 * @param topic a word or two for what it is about, such as the name of a setting
 * @param sentence what was found, and the remedy where there is one
 * @param figures what was counted or measured, by names that say the unit; those of the sentence
 */
public record Finding(Level level, String topic, String sentence, Map<String, Long> figures) {

  /** A finding without figures. */
  public Finding(Level level, String topic, String sentence) {
    this(level, topic, sentence, Map.of());
  }

  /** How bad a finding is. */
  public enum Level {
    /** As it should be. */
    OK,
    /** Good to know. */
    NOTE,
    /** It works, and may lose or double something. */
    UNSAFE,
    /** It does not work. */
    BROKEN
  }

  static Finding ok(String topic, String sentence) {
    return new Finding(Level.OK, topic, sentence);
  }

  static Finding note(String topic, String sentence) {
    return new Finding(Level.NOTE, topic, sentence);
  }

  static Finding unsafe(String topic, String sentence) {
    return new Finding(Level.UNSAFE, topic, sentence);
  }

  /** Tells whether somebody should act. */
  public boolean isBad() {
    return level == Level.UNSAFE || level == Level.BROKEN;
  }
}
