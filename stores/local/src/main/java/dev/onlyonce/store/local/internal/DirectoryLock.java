package dev.onlyonce.store.local.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The right to write in a directory, which ends with the process. The file {@code lock} has the
 * process id of whoever has it; what is locked is a byte far behind, so that it can be read.
 *
 * <p>Somebody may delete the file by hand, after which a second process can lock one of its own.
 * The writer notices that another file is there, within a tenth of a second or before its next
 * write, and writes nothing any more.
 */
final class DirectoryLock implements Hold {

  private static final String FILE = "lock";
  private static final long CHECK_MICROS = 100_000;

  /**
   * The directories that this process has, as the file system tells them apart. The file must not
   * be opened for a second try: when a process closes a file, POSIX takes all its locks on it away,
   * whichever descriptor they came by.
   */
  private static final Set<Object> HELD = ConcurrentHashMap.newKeySet();

  private final Object directory;
  private final Path file;
  private final FileChannel channel;
  private final Object identity;
  private long checkedAt;

  private DirectoryLock(Object directory, Path file, FileChannel channel) throws IOException {
    this.directory = directory;
    this.file = file;
    this.channel = channel;
    this.identity = identity(file);
  }

  /**
   * Takes the lock.
   *
   * @throws StoreException if another process has it, or this one
   */
  static DirectoryLock take(Path directory) throws IOException {
    Object identity = identity(directory);
    if (!HELD.add(identity)) {
      throw refused(directory, "this process");
    }
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return lock(directory, identity);
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      HELD.remove(identity);
      throw e;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns what tells a file from all others: its name, where the system has nothing better. */
  private static Object identity(Path file) throws IOException {
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    return Objects.requireNonNullElse(key, file.toRealPath());
  }

  private static DirectoryLock lock(Path directory, Object identity) throws IOException {
    Path file = directory.toRealPath().resolve(FILE);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock(Long.MAX_VALUE - 1, 1, false);
      if (lock == null) {
        throw refused(directory, "process " + Files.readString(file, UTF_8).strip());
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)));
      return new DirectoryLock(identity, file, channel);
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
  public void require(long micros) throws IOException {
    if (micros - checkedAt < CHECK_MICROS) {
      return;
    }
    if (!isSame()) {
      throw new IOException(
          "its file %s was deleted or replaced, so that another process may be writing"
              .formatted(file));
    }
    checkedAt = micros;
  }

  private boolean isSame() throws IOException {
    try {
      return identity.equals(identity(file));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    HELD.remove(directory);
  }
}
