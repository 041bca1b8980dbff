package dev.onlyonce.bench;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A folder for the data of a contender, in {@code java.io.tmpdir}; it is deleted when closed. */
record Folder(Path path) implements AutoCloseable {

  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  /** Makes one. A sync must reach a disk, so a file system in memory is refused. */
  static Folder create() throws IOException {
    if (IN_MEMORY.contains(fileSystem())) {
      throw new IOException(
          "java.io.tmpdir is on %s, which is no disk: set TMPDIR to a folder that is on one"
              .formatted(fileSystem()));
    }
    return new Folder(Files.createTempDirectory("onlyonce-bench-"));
  }

  /** Returns the type of the file system that folders are made in. */
  static String fileSystem() throws IOException {
    FileStore store = Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir")));
    return store.type();
  }

  /** Returns the length of all files together. */
  long bytes() throws IOException {
    long bytes = 0;
    for (Path file : files()) {
      bytes += Files.isRegularFile(file) ? Files.size(file) : 0;
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    for (Path file : files()) {
      Files.delete(file);
    }
  }

  /** Returns what is in it, and itself at the end. */
  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      return files.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
