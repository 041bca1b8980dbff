package dev.onlyonce.app.store;

/**
 * What an examination has found out about a store.
 *
 * @param level how bad it is
 * @param topic a word or two for what it is about, such as the name of a setting
 * @param sentence what was found, and the remedy where there is one
 */
public record Finding(Level level, String topic, String sentence) {

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
