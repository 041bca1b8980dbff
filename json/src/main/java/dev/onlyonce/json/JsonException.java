package dev.onlyonce.json;

import dev.onlyonce.OnlyOnceException;
import org.jspecify.annotations.Nullable;

/**
 * A document that cannot be read as JSON, or has no canonical form. The message is one sentence
 * with the place, as a byte counted from 1, and shows no more of the document than one character.
 */
public final class JsonException extends OnlyOnceException {

  private static final long serialVersionUID = 1L;

  JsonException(String message) {
    this(message, null);
  }

  JsonException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
