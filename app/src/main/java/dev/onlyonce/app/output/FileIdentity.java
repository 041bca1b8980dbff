package dev.onlyonce.app.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * What is behind a path, however it is named: two paths, links or open streams with equal
 * identities lead to the same file or pipe.
 *
 * @param key device and inode where the system has them, else the real path
 * @param kind what it is, as far as it matters
 */
record FileIdentity(Object key, Kind kind) {
  private static final int TYPE_MASK = 0170000;
  private static final int FIFO = 0010000;
  private static final int SOCKET = 0140000;

  /** Standard input, as a path that leads to whatever it was redirected from. */
  static final Path STANDARD_INPUT = Path.of("/dev/fd/0");

  /** Standard output, as a path that leads to whatever it was redirected to. */
  static final Path STANDARD_OUTPUT = Path.of("/dev/fd/1");

  /** What a path can lead to. Devices, such as a terminal, may be shared and have no identity. */
  enum Kind {
    REGULAR_FILE,
    PIPE
  }

  /** The identity behind a path; empty if there is nothing, a device, or no way to tell. */
  static Optional<FileIdentity> of(Path path) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      Object key = attributes.fileKey() != null ? attributes.fileKey() : path.toRealPath();
      if (attributes.isRegularFile()) {
        return Optional.of(new FileIdentity(key, Kind.REGULAR_FILE));
      }
      if (attributes.isOther() && isPipe(path)) {
        return Optional.of(new FileIdentity(key, Kind.PIPE));
      }
      return Optional.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  boolean isRegularFile() {
    return kind == Kind.REGULAR_FILE;
  }

  boolean isPipe() {
    return kind == Kind.PIPE;
  }

  private static boolean isPipe(Path path) throws IOException {
    int type = (Integer) Files.getAttribute(path, "unix:mode") & TYPE_MASK;
    return type == FIFO || type == SOCKET;
  }
}
