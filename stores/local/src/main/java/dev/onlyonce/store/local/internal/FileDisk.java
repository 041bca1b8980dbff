package dev.onlyonce.store.local.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A directory of the file system.
 *
 * <h2>Interrupts</h2>
 *
 * <p>Java closes a file channel when a thread that uses it is interrupted, which would end the
 * store for all because one caller was in a hurry. Here the channel is opened again and the
 * operation is done again, which is the same as doing it once: each names its position, and a sync
 * is about all that was written to the file.
 */
final class FileDisk implements Disk {

  private static final boolean SYNCS_DIRECTORIES =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  /** Java copies what is on its heap, and keeps the memory that it took for that. */
  private static final int PIECE = 1 << 20;

  private final Path directory;
  private final boolean writes;

  /**
   * @param writes whether files are opened for writing too
   */
  FileDisk(Path directory, boolean writes) {
    this.directory = directory;
    this.writes = writes;
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Override
  public Data open(String name) throws IOException {
    return new ChannelData(directory.resolve(name), false, writes);
  }

  @Override
  public Data create(String name) throws IOException {
    return new ChannelData(directory.resolve(name), true, true);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(
        directory.resolve(from),
        directory.resolve(to),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(directory.resolve(name));
  }

  @Override
  public long room() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public void sync() throws IOException {
    if (!SYNCS_DIRECTORIES) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private static final class ChannelData implements Data {

    private interface Call<T> {
      T on(FileChannel channel) throws IOException;
    }

    private final Path file;
    private final Set<StandardOpenOption> options = new HashSet<>();
    private FileChannel channel;
    private boolean closed;

    ChannelData(Path file, boolean create, boolean writes) throws IOException {
      this.file = file;
      options.add(StandardOpenOption.READ);
      if (writes) {
        options.add(StandardOpenOption.WRITE);
      }
      Set<StandardOpenOption> first = new HashSet<>(options);
      if (create) {
        first.add(StandardOpenOption.CREATE_NEW);
      }
      channel = FileChannel.open(file, first);
    }

    private synchronized FileChannel channel() throws IOException {
      if (!channel.isOpen() && !closed) {
        channel = FileChannel.open(file, options);
      }
      return channel;
    }

    private synchronized boolean isClosed() {
      return closed;
    }

    private <T> T uninterruptibly(Call<T> call) throws IOException {
      boolean interrupted = Thread.interrupted();
      try {
        while (true) {
          try {
            return call.on(channel());
          } catch (ClosedChannelException e) {
            // By an interrupt of this thread or of another one, unless it was closed for good.
            interrupted |= Thread.interrupted();
            if (isClosed()) {
              throw e;
            }
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public long size() throws IOException {
      return uninterruptibly(FileChannel::size);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      int start = target.position();
      return uninterruptibly(
          open -> {
            target.position(start);
            int end = target.limit();
            try {
              while (target.position() < end) {
                target.limit(Math.min(end, target.position() + PIECE));
                if (open.read(target, position + target.position() - start) < 0) {
                  break;
                }
              }
            } finally {
              target.limit(end);
            }
            return target.position() - start;
          });
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      int start = source.position();
      uninterruptibly(
          open -> {
            source.position(start);
            int end = source.limit();
            try {
              while (source.position() < end) {
                source.limit(Math.min(end, source.position() + PIECE));
                open.write(source, position + source.position() - start);
              }
            } finally {
              source.limit(end);
            }
            return start;
          });
    }

    @Override
    public void sync() throws IOException {
      uninterruptibly(
          open -> {
            open.force(false);
            return true;
          });
    }

    @Override
    public synchronized void close() throws IOException {
      closed = true;
      channel.close();
    }
  }
}
