package dev.onlyonce.app.cli;

import java.io.IOException;
import java.nio.file.Path;

/** Tells whether somebody watches. */
final class Terminal {

  private Terminal() {}

  /** True if standard error is a terminal, as far as this system tells. */
  static boolean isStandardError() {
    try {
      String target = Path.of("/dev/fd/2").toRealPath().toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException e) {
      return false;
    }
  }
}
