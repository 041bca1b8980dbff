package dev.onlyonce.spi;

import dev.onlyonce.OnlyOnceException;
import org.jspecify.annotations.Nullable;

/** A broker could not be asked, or does not let this consumer read. */
public final class SourceException extends OnlyOnceException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** Tells what can be done about it. */
  public enum Kind {
    /** Asking again may help: the broker is away, or is choosing a leader. */
    PASSING,
    /** Asking again does not help: a setting, a permission, a topic that is not there. */
    FINAL
  }

  /**
   * @param message one sentence with place, value and remedy
   * @param cause what the broker's client threw
   */
  public SourceException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Returns what kind of failure this is. */
  public Kind kind() {
    return kind;
  }
}
