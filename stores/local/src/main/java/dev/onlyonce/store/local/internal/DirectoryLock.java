package dev.onlyonce.store.local.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The right to write in a directory, which ends with the process. The file {@code lock} has the
 * process id of whoever has it; what is locked is a byte far behind, so that it can be read.
 */
final class DirectoryLock implements AutoCloseable {

  private static final String FILE = "lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the lock.
   *
   * @throws StoreException if another process has it, or this one
   */
  static DirectoryLock take(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock(Long.MAX_VALUE - 1, 1, false);
      if (lock == null) {
        throw refused(directory, "process " + Files.readString(file, UTF_8).strip());
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)));
      return new DirectoryLock(channel);
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw refused(directory, "this process");
    } catch (IOException | RuntimeException e) {
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
  }
}
