package dev.onlyonce.app.dedup;

import dev.onlyonce.app.Failure;
import dev.onlyonce.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The directory that {@code --state} names: it has a state already, or it is empty or not there yet
 * and may get one. Among the files of others no state is made.
 */
record StateDirectory(Path path) {

  /** What a run leaves that was killed before it had made a store, see docs/formats/local.md. */
  private static final Set<String> UNFINISHED = Set.of("lock", "log.new", "store.new");

  /**
   * Looks at a directory and changes nothing.
   *
   * @throws Failure if there is no state in it and none can be made
   */
  static StateDirectory of(Path path) {
    StateDirectory directory = new StateDirectory(path);
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw Failure.usage("--state " + path + " is a file; name a directory for the state");
    }
    Optional<Path> foreign = directory.foreignFile();
    if (foreign.isPresent() && !directory.hasState()) {
      throw Failure.usage(
          "--state %s is not a state, and has other files in it, such as %s; name a directory that is"
                  .formatted(path, foreign.get())
              + " empty or not there yet");
    }
    return directory;
  }

  /** Tells whether there is a state in it. */
  boolean hasState() {
    return LocalStore.isIn(path);
  }

  /** Returns a file that would be foreign if there were no state. */
  private Optional<Path> foreignFile() {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(path)) {
      return files
          .map(Path::getFileName)
          .filter(file -> !UNFINISHED.contains(file.toString()))
          .findFirst();
    } catch (IOException e) {
      throw Failure.io("cannot read --state " + path, e);
    }
  }

  /** Makes it, if it is not there. */
  void make() {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw Failure.io("cannot make the directory --state " + path, e);
    }
  }
}
