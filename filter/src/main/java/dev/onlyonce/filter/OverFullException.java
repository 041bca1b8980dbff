package dev.onlyonce.filter;

/**
 * A filter has taken so many keys that its answers are worth less than it promised, and it takes no
 * more. It has not taken the key of this call. Look-ups go on.
 */
public final class OverFullException extends FilterException {
  private static final long serialVersionUID = 1L;

  OverFullException(String message) {
    super(message);
  }
}
