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
    String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return isFull(disk, bytes, reason)
        ? new NotWrittenException(
            "there is no room in " + disk + " (" + reason + "): free some", true, cause)
        : new NotWrittenException(
            "nothing can be written in " + disk + " at present (" + reason + ")", false, cause);
  }

  /** The system says it in words, in those of its language, or a quota is behind it. */
  private static boolean isFull(Disk disk, long bytes, String reason) {
    try {
      return reason.matches("(?i).*(space|quota).*") || disk.room() < bytes;
    } catch (IOException e) {
      return false;
    }
  }

  /** Tells whether there is no room. */
  boolean isFull() {
    return isFull;
  }
}
