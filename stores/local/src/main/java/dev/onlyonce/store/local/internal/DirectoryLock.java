package dev.onlyonce.store.local.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The right to write in a directory, which ends with the process. The file {@code lock} has the
 * process id of whoever has it; what is locked is a byte far behind, so that it can be read.
 */
final class DirectoryLock implements AutoCloseable {

  private static final String FILE = "lock";

  /**
   * The directories that this process has. The file must not be opened for a second try: when a
   * process closes a file, POSIX takes all its locks on it away, whichever descriptor they came by.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final FileChannel channel;

  private DirectoryLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Takes the lock.
   *
   * @throws StoreException if another process has it, or this one
   */
  static DirectoryLock take(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (!HELD.add(real)) {
      throw refused(directory, "this process");
    }
    try {
      return lock(directory, real);
    } catch (IOException | RuntimeException | Error e) {
      HELD.remove(real);
      throw e;
    }
  }

  private static DirectoryLock lock(Path directory, Path real) throws IOException {
    Path file = real.resolve(FILE);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock(Long.MAX_VALUE - 1, 1, false);
      if (lock == null) {
        throw refused(directory, "process " + Files.readString(file, UTF_8).strip());
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)));
      return new DirectoryLock(real, channel);
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  private static StoreException refused(Path directory, String holder) {
    return new StoreException(
        StoreException.Kind.REJECTED,
        "the local store in %s is in use by %s: end that, or use another directory"
            .formatted(directory, holder));
  }

  @Override
  public void close() throws IOException {
    channel.close();
    HELD.remove(directory);
  }
}
