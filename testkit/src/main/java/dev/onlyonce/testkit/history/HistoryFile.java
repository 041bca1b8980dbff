package dev.onlyonce.testkit.history;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.spi.Time;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file to which several processes append what they do, one {@link HistoryEvent} a line.
 *
 * <p>When {@link #append} has returned, the event is in the file, whole and in one piece, and stays
 * there when this process is killed: each event is one write to a file that is open for appending,
 * and the kernel puts such writes one after the other. An event whose writer was killed in the
 * middle of the write may be cut short; it is told apart from a whole one and spoils no other. The
 * length of the file is a clock that all writers share: what was appended before {@link
 * #lengthBytes} was asked for ends at or below it. The file is not forced to the disk, so it does
 * not outlive a power failure, and it must lie on a local file system (a network file system does
 * not keep appended writes apart).
 *
 * <p>Thread-safe. An interrupt neither disturbs nor is lost.
 *
 * <p>Lengths are in bytes. A line has at most {@value #MAX_LINE_BYTES} bytes.
 *
 * <p>Throws {@link UncheckedIOException} when the file system refuses; the event may then be in the
 * file, cut short or not at all. Throws {@link IllegalArgumentException} for an event that is too
 * long; nothing is written then.
 *
 * <h2>Format</h2>
 *
 * <pre>{@code
 * file = *line
 * line = ">" text "<" LF         text: see HistoryEvent; it contains neither mark and no LF
 * }</pre>
 *
 * A killed writer leaves a beginning of a line. What follows it, if anything, begins with {@code >}
 * again. So an event is whole if {@code <} comes before the next {@code >}, and cut short
 * otherwise.
 */
public final class HistoryFile implements AutoCloseable {
  /** The length of the longest line; a longer write would not be one call to the kernel. */
  public static final int MAX_LINE_BYTES = 8_192;

  private final Path file;
  private final String process;
  private final Time time;
  private final FileOutputStream out; // a channel would be closed by an interrupt

  private HistoryFile(Path file, String process, Time time, FileOutputStream out) {
    this.file = file;
    this.process = process;
    this.time = time;
    this.out = out;
  }

  /**
   * Opens a history for appending; creates it where it is absent.
   *
   * @param process the name of the calling process in the history, which no other process may use,
   *     also none that is started later
   */
  public static HistoryFile open(Path file, String process) {
    return open(file, process, Time.system());
  }

  static HistoryFile open(Path file, String process, Time time) {
    if (process.isEmpty()) {
      throw new IllegalArgumentException("process must not be empty");
    }
    try {
      return new HistoryFile(file, process, time, new FileOutputStream(file.toFile(), true));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The length of the file now. Take it before an operation is begun, for {@link
   * HistoryEvent#since}.
   */
  public long lengthBytes() {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Appends an event, with this process (unless it names one) and the time now. */
  public void append(HistoryEvent event) {
    String text = event.recorded(process, time.instant()).text();
    byte[] line = (">" + text + "<\n").getBytes(US_ASCII);
    if (line.length > MAX_LINE_BYTES) {
      throw new IllegalArgumentException(
          "an event must fit into " + MAX_LINE_BYTES + " bytes, had " + line.length);
    }
    try {
      out.write(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes the file; later appends fail. */
  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a history, also while others append to it. The whole of it must fit into memory.
   *
   * <p>Throws {@link IllegalStateException}, with file and line, for anything in it that {@link
   * #append} cannot have left there.
   */
  public static History read(Path file) {
    try {
      return new HistoryReader(file, Files.readString(file, ISO_8859_1)).read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
