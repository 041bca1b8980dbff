package dev.onlyonce.app.output;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.input.Header;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * An output file that is written on from run to run, as far as a {@link FileMark} says.
 *
 * <p><b>Guarantee.</b> A file that is not as the last run left it is refused and not touched: one
 * that is gone, shorter, another one, or changed near its end; and one that is longer, unless the
 * last run was interrupted, so that what is behind the mark is its own. That is cut off.
 *
 * <p>Not thread-safe.
 */
public final class ContinuedFile {

  /** How many bytes before the mark the checksum covers: SHA-256, of which 16 bytes are kept. */
  private static final int TAIL_BYTES = 4_096;

  private static final int KEPT_BYTES = 16;

  /** How far back the end of a line is looked for. */
  private static final int LINES_BYTES = 64 << 10;

  private static final boolean SYNCS_FOLDERS =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private final String name;
  private final Path path;
  private final FileChannel channel;
  private final long length;

  private ContinuedFile(String name, Path path, FileChannel channel, long length) {
    this.name = name;
    this.path = path;
    this.channel = channel;
    this.length = length;
  }

  /** Refuses a file that a run with this state wrote and that is gone. */
  static void requireThere(String name, @Nullable FileMark mark, Path path) {
    if (mark != null && !Files.exists(path)) {
      throw refused(name, "is gone", mark);
    }
  }

  /**
   * Checks a file that is open for reading and writing.
   *
   * @param mark what is known of it; null if no run with this state has written it
   * @param interrupted whether the last run that wrote it did not come to its end
   */
  static ContinuedFile of(
      String name, Path path, FileChannel channel, @Nullable FileMark mark, boolean interrupted)
      throws IOException {
    long size = channel.size();
    if (mark == null) {
      if (size > 0) {
        throw Failure.files(
            "%s has %s that no run with this state has written; name a new file"
                .formatted(name, Quantity.of(size, "byte")));
      }
      return new ContinuedFile(name, path, channel, 0);
    }
    if (!mark.identity().equals(identity(path))) {
      throw refused(name, "is another file than the one that was written, of the same name", mark);
    }
    if (size < mark.length()) {
      throw refused(name, "has only " + Quantity.of(size, "byte"), mark);
    }
    if (size > mark.length() && !interrupted) {
      throw refused(
          name,
          "has " + Quantity.of(size - mark.length(), "byte") + " more, from somebody else",
          mark);
    }
    if (!mark.tail().equals(tail(channel, mark.length()))) {
      throw refused(name, "has been changed", mark);
    }
    return new ContinuedFile(name, path, channel, mark.length());
  }

  /** Goes on where the file ends, whoever has written it. */
  static ContinuedFile atEnd(String name, Path path, FileChannel channel) throws IOException {
    return new ContinuedFile(name, path, channel, channel.size());
  }

  private static Failure refused(String name, String what, FileMark mark) {
    return Failure.files(
        ("%s %s: the state knows it with %s; put it back as it was, or move it away and name a"
                + " new file, which then goes on where this one ended")
            .formatted(name, what, Quantity.of(mark.length(), "byte")));
  }

  /** The number that the file has on its device, whose own number may change at the next mount. */
  private static String identity(Path path) throws IOException {
    return SYNCS_FOLDERS
        ? "inode " + Files.getAttribute(path, "unix:ino")
        : Files.readAttributes(path, BasicFileAttributes.class).creationTime().toString();
  }

  private static String tail(FileChannel channel, long length) throws IOException {
    byte[] bytes = read(channel, Math.max(0, length - TAIL_BYTES), length);
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, KEPT_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static byte[] read(FileChannel channel, long from, long to) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate((int) (to - from));
    while (buffer.hasRemaining() && channel.read(buffer, from + buffer.position()) >= 0) {
      // goes on
    }
    return Arrays.copyOf(buffer.array(), buffer.position());
  }

  /** Returns how many bytes it has behind the mark. */
  public long excess() {
    try {
      return channel.size() - length;
    } catch (IOException e) {
      throw Failure.io("cannot read " + name, e);
    }
  }

  /** Returns what the command line calls it. */
  public String name() {
    return name;
  }

  /** Tells whether records were written to it before. */
  boolean hasContent() {
    return length > 0;
  }

  /** Returns its last bytes, some thousands at the most. */
  byte[] lastBytes() throws IOException {
    return read(channel, Math.max(0, length - LINES_BYTES), length);
  }

  /**
   * Cuts off what an interrupted run wrote behind the mark; what is written next goes there. From
   * here on the file is there after a crash, too, however new it is.
   */
  void cutBack() throws IOException {
    channel.truncate(length);
    channel.position(length);
    Path folder = path.toRealPath().getParent();
    if (SYNCS_FOLDERS && folder != null) {
      try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
        names.force(true);
      }
    }
  }

  /** Refuses to go on under another header than the one that the file begins with. */
  void require(Header header) {
    byte[] expected = withoutLineEnd(header.bytes());
    byte[] mark = RecordWriter.BYTE_ORDER_MARK;
    try {
      byte[] found = read(channel, 0, Math.min(length, expected.length + mark.length + 1));
      boolean marked = found.length >= mark.length && Arrays.mismatch(mark, found) == mark.length;
      int from = marked ? mark.length : 0;
      int to = from + expected.length;
      boolean ends = found.length == to || (found.length > to && isLineEnd(found[to]));
      if (!ends || !Arrays.equals(expected, Arrays.copyOfRange(found, from, to))) {
        throw Failure.badInput(
            name + " begins with another header line than the input; name a new file");
      }
    } catch (IOException e) {
      throw Failure.io("cannot read " + name, e);
    }
  }

  private static byte[] withoutLineEnd(byte[] line) {
    int end = line.length;
    while (end > 0 && isLineEnd(line[end - 1])) {
      end--;
    }
    return Arrays.copyOf(line, end);
  }

  private static boolean isLineEnd(byte b) {
    return b == '\n' || b == '\r';
  }

  /** Makes sure that what was written is on the disk; returns how far that is. */
  public FileMark mark() {
    sync();
    try {
      long size = channel.size();
      return new FileMark(key(), identity(path), size, tail(channel, size));
    } catch (IOException e) {
      throw Failure.io("cannot write " + name, e);
    }
  }

  /** Makes sure that what was written is on the disk. */
  public void sync() {
    try {
      channel.force(true);
    } catch (IOException e) {
      throw Failure.io("cannot write " + name, e);
    }
  }

  /** Returns by which path the file is known. */
  public String key() {
    return key(path);
  }

  /** Returns by which path a file is known, whatever links lead there. */
  public static String key(Path path) {
    try {
      Path absolute = path.toAbsolutePath();
      Path folder = absolute.getParent();
      return Files.exists(absolute) || folder == null
          ? absolute.toRealPath().toString()
          : folder.toRealPath().resolve(absolute.getFileName()).toString();
    } catch (IOException e) {
      return path.toAbsolutePath().normalize().toString();
    }
  }
}
