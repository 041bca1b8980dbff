package dev.onlyonce.store.local.internal;

import java.io.IOException;

/** A newer version of this program wrote the store. */
final class NewerFormatException extends IOException {

  private static final long serialVersionUID = 1L;

  NewerFormatException(String file, int found, int known) {
    super(
        ("%s has format %d, and this version reads up to %d: use a newer version, or restore the"
                + " store from a backup if none ever wrote it; nothing was changed")
            .formatted(file, found, known));
  }
}
