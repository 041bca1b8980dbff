package dev.onlyonce.spi;

import dev.onlyonce.OnlyOnceException;
import org.jspecify.annotations.Nullable;

/**
 * A store could not do what it was asked. What it was asked may or may not have been done, unless
 * the kind says otherwise.
 */
public final class StoreException extends OnlyOnceException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** Tells what can be done about it. */
  public enum Kind {
    /** The store did not answer in time or not at all; asking again may help. */
    UNAVAILABLE,
    /**
     * The store has no room for another record; of a batch, items that fitted may have been done.
     */
    FULL,
    /** The request cannot be served as it is; nothing was done and asking again does not help. */
    REJECTED,
    /** The store has been closed; nothing was done. */
    CLOSED
  }

  /**
   * @param message one sentence with place, value and remedy
   */
  public StoreException(Kind kind, String message) {
    this(kind, message, null);
  }

  /**
   * @param message one sentence with place, value and remedy
   * @param cause what the store's client threw
   */
  public StoreException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Returns what kind of failure this is. */
  public Kind kind() {
    return kind;
  }
}
