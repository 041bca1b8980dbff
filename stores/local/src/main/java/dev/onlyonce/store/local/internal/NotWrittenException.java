package dev.onlyonce.store.local.internal;

import java.io.IOException;

/**
 * What is to be written could not be prepared: there is no room on the disk, or no file could be
 * made. Nothing was written, and the store can go on when that has ended.
 */
final class NotWrittenException extends IOException {

  private static final long serialVersionUID = 1L;

  private final boolean isFull;

  private NotWrittenException(String message, boolean isFull, IOException cause) {
    super(message, cause);
    this.isFull = isFull;
  }

  /**
   * @param bytes for which there should have been room
   */
  static NotWrittenException of(Disk disk, long bytes, IOException cause) {
    String reason = reason(cause);
    return isFull(disk, bytes, reason)
        ? full(disk.toString(), reason, cause)
        : new NotWrittenException(
            "nothing can be written in " + disk + " at present (" + reason + ")", false, cause);
  }

  /** Returns this, or the same with what can be done if it says that there is no room. */
  static IOException withRemedy(String directory, IOException cause) {
    return cause instanceof NotWrittenException || !saysFull(reason(cause))
        ? cause
        : full(directory, reason(cause), cause);
  }

  private static NotWrittenException full(String directory, String reason, IOException cause) {
    return new NotWrittenException(
        "there is no room in " + directory + " (" + reason + "): free some", true, cause);
  }

  private static String reason(IOException cause) {
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  /** The system says it in words, or a quota is behind it. */
  private static boolean saysFull(String reason) {
    return reason.matches("(?i).*(space|quota).*");
  }

  private static boolean isFull(Disk disk, long bytes, String reason) {
    try {
      return saysFull(reason) || disk.room() < bytes;
    } catch (IOException e) {
      return false;
    }
  }

  /** Tells whether there is no room. */
  boolean isFull() {
    return isFull;
  }
}
