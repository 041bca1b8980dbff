package dev.onlyonce.app.output;

import java.io.IOException;
import java.io.PrintStream;

/**
 * Whoever read our output has closed it, as {@code head} does when it has enough. That is no
 * failure: the run ends quietly, with the exit code for fine.
 */
public final class ReaderGoneException extends RuntimeException {
  ReaderGoneException(Throwable cause) {
    super("the reader of the output has closed it", cause);
  }

  /**
   * Ends the run if what is printed does not arrive any more; if that is no reader's doing, whoever
   * ends the program says so.
   */
  public static void throwIfLost(PrintStream out) {
    if (out.checkError()) {
      throw new ReaderGoneException(new IOException("the stream takes no more"));
    }
  }
}
