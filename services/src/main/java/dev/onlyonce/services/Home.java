package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The temporary directory of a server, with its log and whatever it keeps. It belongs to the user
 * that the server runs as, and nobody else can look into it.
 */
record Home(Path directory, RunAs user) {
  private static final int LOG_LIMIT_BYTES = 64 * 1024;

  static Home create(String server, RunAs user) {
    try {
      Path directory = Files.createTempDirectory("onlyonce-" + server + "-").toRealPath();
      user.own(directory);
      return new Home(directory, user);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  File log() {
    return directory.resolve("log").toFile();
  }

  Path folder(String name) {
    try {
      Path folder = Files.createDirectory(directory.resolve(name));
      user.own(folder);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a file anew. */
  Path file(String name, List<String> lines) {
    try {
      Path file = Files.write(directory.resolve(name), lines);
      user.own(file);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long logSize() {
    return log().length();
  }

  /** What the log says from a position on, or the end of it if that is much. */
  String logSince(long position) {
    try (SeekableByteChannel log = Files.newByteChannel(log().toPath())) {
      long from = Math.max(position, log.size() - LOG_LIMIT_BYTES);
      ByteBuffer bytes = ByteBuffer.allocate(LOG_LIMIT_BYTES);
      log.position(from);
      while (bytes.hasRemaining() && log.read(bytes) >= 0) {
        // to the end
      }
      return UTF_8.decode(bytes.flip()).toString();
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> lastLogLines(int count) {
    List<String> lines = logSince(0).lines().toList();
    return lines.subList(Math.max(0, lines.size() - count), lines.size());
  }

  /** Deletes everything; what does not let itself be deleted is left to the system's cleaning. */
  void delete() {
    deleteTree(directory);
  }

  static void deleteTree(Path tree) {
    try (Stream<Path> paths = Files.walk(tree)) {
      paths.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException | UncheckedIOException e) {
      // a process that was killed still moved files
    }
  }
}
