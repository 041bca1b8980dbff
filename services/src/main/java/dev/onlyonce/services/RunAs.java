package dev.onlyonce.services;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The user that servers run as: this JVM's own, or nobody if that is root. (PostgreSQL refuses to
 * run as root, and no server for tests needs its powers.)
 */
final class RunAs {
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
  private static final int NOBODY = 65_534;

  private RunAs() {}

  static boolean root() {
    return ROOT;
  }

  /** Options of setpriv. */
  static List<String> options() {
    return ROOT ? List.of("--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups") : List.of();
  }

  /** Gives a file or folder to that user. */
  static void own(Path path) throws IOException {
    if (ROOT) {
      Files.setAttribute(path, "unix:uid", NOBODY);
      Files.setAttribute(path, "unix:gid", NOBODY);
    }
  }
}
