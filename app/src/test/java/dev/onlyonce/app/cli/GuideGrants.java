package dev.onlyonce.app.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** The permissions that a guide of a database gives to its user. */
final class GuideGrants {

  private GuideGrants() {}

  static String of(String guide) throws IOException {
    return Files.readString(Path.of("../docs/guides", guide))
        .lines()
        .filter(it -> it.startsWith("GRANT "))
        .collect(Collectors.joining("\n"));
  }
}
