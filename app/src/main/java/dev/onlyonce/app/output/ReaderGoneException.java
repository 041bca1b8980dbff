package dev.onlyonce.app.output;

/**
 * Whoever read our output has closed it, as {@code head} does when it has enough. That is no
 * failure: the run ends quietly, with the exit code for fine.
 */
public final class ReaderGoneException extends RuntimeException {
  ReaderGoneException(Throwable cause) {
    super("the reader of the output has closed it", cause);
  }
}
