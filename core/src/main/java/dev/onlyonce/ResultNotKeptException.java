package dev.onlyonce;

import org.jspecify.annotations.Nullable;

/** A key is done, but the result of its handler cannot be had. The handler is not run again. */
public final class ResultNotKeptException extends OnlyOnceException {

  private static final long serialVersionUID = 1L;

  ResultNotKeptException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
