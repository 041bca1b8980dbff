package dev.onlyonce.app.demo;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The folder of a run of the demo, which nobody needs when the run has ended. */
final class TemporaryFolder {

  private static final int TRIES = 100;

  private TemporaryFolder() {}

  /** Makes one where the system has what is temporary. */
  static Path make() throws IOException {
    return Files.createTempDirectory("onlyonce-demo-");
  }

  /**
   * Removes it with all that is in it. Several processes may do this at once, and one of them may
   * still be writing, so it is tried again; what cannot be removed stays.
   */
  static void remove(Path folder) {
    for (int i = 0; i < TRIES && Files.exists(folder); i++) {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
      } catch (IOException | UncheckedIOException e) {
        // Another process has removed what was to be looked at.
      }
    }
  }
}
