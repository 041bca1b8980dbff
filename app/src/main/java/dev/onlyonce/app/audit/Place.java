package dev.onlyonce.app.audit;

/**
 * Where a record begins.
 *
 * @param input the name of the file, or {@code standard input}
 * @param line from 1
 */
public record Place(String input, long line) {

  /** Returns {@code NAME, line N}, as in all messages. */
  @Override
  public String toString() {
    return input + ", line " + line;
  }
}
