package dev.onlyonce.store.local.internal;

import java.io.IOException;

/** There is no room on the disk for what is to be written; nothing was. */
final class NoRoomException extends IOException {

  private static final long serialVersionUID = 1L;

  NoRoomException(Disk disk, IOException cause) {
    super("there is no room in " + disk + " (" + cause.getMessage() + "): free some", cause);
  }
}
