package dev.onlyonce.store.local.internal;

import java.io.IOException;

/**
 * A file of the store is not what the store wrote; the message says which, where and what to do.
 */
final class DamagedException extends IOException {

  private static final long serialVersionUID = 1L;

  DamagedException(String file, long offset, String what) {
    super(
        "%s is damaged at offset %,d: %s; the store is left as it is: restore it from a backup"
            .formatted(file, offset, what));
  }
}
