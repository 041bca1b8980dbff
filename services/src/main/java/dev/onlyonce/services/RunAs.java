package dev.onlyonce.services;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The user that a server runs as. */
enum RunAs {
  /** This JVM's own user, or nobody if that is root: PostgreSQL refuses to run as root. */
  NOT_ROOT,

  /** This JVM's own user, whoever that is: no other one may see the jars in its repository. */
  SELF;

  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));
  private static final int NOBODY = 65_534;

  static boolean root() {
    return ROOT;
  }

  /** Options of setpriv. */
  List<String> options() {
    return isNobody()
        ? List.of("--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups")
        : List.of();
  }

  /** Gives a file or folder to that user. */
  void own(Path path) throws IOException {
    if (isNobody()) {
      Files.setAttribute(path, "unix:uid", NOBODY);
      Files.setAttribute(path, "unix:gid", NOBODY);
    }
  }

  private boolean isNobody() {
    return this == NOT_ROOT && ROOT;
  }
}
