package dev.onlyonce.app.input;

import java.io.IOException;

/** Compressed data that is not what its format says, or ends too early. */
final class DamagedException extends IOException {
  DamagedException(String message) {
    super(message);
  }

  DamagedException(String message, Throwable cause) {
    super(message, cause);
  }
}
