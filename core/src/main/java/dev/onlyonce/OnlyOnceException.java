package dev.onlyonce;

import org.jspecify.annotations.Nullable;

/** The root of every exception that OnlyOnce throws for a fault of its own world. Unchecked. */
public abstract class OnlyOnceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * @param message one sentence with place, value and remedy
   * @param cause what led to it, if anything did
   */
  protected OnlyOnceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
