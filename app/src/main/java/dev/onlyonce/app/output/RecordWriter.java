package dev.onlyonce.app.output;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.input.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Writes records as they came, byte for byte, with two exceptions: where a record had no line end
 * (the last of its input) and another is written behind it, the line end is added, of the kind that
 * was written before; and a byte order mark is written only at the very beginning.
 *
 * <p>Records are collected in a buffer; {@link #flush} and {@link #close} write it out. Not
 * thread-safe.
 */
public final class RecordWriter implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;
  static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  private static final byte[] LF = {'\n'};
  private static final byte[] CR_LF = {'\r', '\n'};

  private final String name;
  private final WritableByteChannel channel;
  private final boolean pipe;
  private final boolean owned;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private boolean empty = true;
  private boolean lineEnded = true;
  private boolean endsWithCr;
  private byte[] lineEnd = LF;
  private boolean broken;
  private boolean failed;
  private boolean optional;
  private @Nullable ContinuedFile before;

  /**
   * Writes to a channel.
   *
   * @param name the name for messages
   * @param pipe that somebody reads the other end, and may go away
   * @param owned that closing the writer closes the channel
   */
  RecordWriter(String name, WritableByteChannel channel, boolean pipe, boolean owned) {
    this.name = name;
    this.channel = channel;
    this.pipe = pipe;
    this.owned = owned;
  }

  /**
   * Writes a record, or a part of an over-long one; the parts of one record go to one writer, with
   * nothing between them.
   *
   * @throws Failure if it cannot be written
   * @throws ReaderGoneException if it is a pipe that nobody reads any more
   */
  public void write(RecordBatch batch, int entry) {
    if (batch.part(entry).begins()) {
      begin(batch.followsByteOrderMark(entry));
    }
    int length = batch.end(entry) - batch.start(entry);
    if (length > buffer.remaining() && length <= buffer.capacity()) {
      flush(); // so that a run which is killed is not likely to leave a part of it
    }
    put(batch.bytes(), batch.start(entry), batch.end(entry));
  }

  /**
   * Writes a header line, as {@link #write(RecordBatch, int)} does a record; a file that has one
   * already, from a run before, must have the same.
   */
  public void write(Header header) {
    if (before != null) {
      before.require(header);
      return;
    }
    begin(header.followsByteOrderMark());
    byte[] bytes = header.bytes();
    put(bytes, 0, bytes.length);
  }

  /**
   * Makes this an output beside the main one: if its reader goes away, what is written to it is
   * dropped from then on, and nothing else ends.
   */
  RecordWriter asOptional() {
    optional = true;
    return this;
  }

  /** Goes on behind what a run before has written. */
  RecordWriter after(ContinuedFile file) throws IOException {
    if (file.hasContent()) {
      before = file;
      empty = false;
      remember(file.lastBytes());
    }
    return this;
  }

  private void remember(byte[] written) {
    for (int end = written.length; end > 0; end--) {
      if (written[end - 1] == '\n') {
        remember(written, 0, end); // which kind of line end there was
        break;
      }
    }
    remember(written, 0, written.length);
  }

  /** Remembers how the last line ended. */
  private void remember(byte[] bytes, int start, int end) {
    lineEnded = bytes[end - 1] == '\n';
    endsWithCr = bytes[end - 1] == '\r';
    if (lineEnded) {
      lineEnd = end - start > 1 && bytes[end - 2] == '\r' ? CR_LF : LF;
    }
  }

  /** Hands everything written so far to the operating system. After a failure it does nothing. */
  public void flush() {
    buffer.flip();
    try {
      while (buffer.hasRemaining() && !broken) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      broken = true;
      RuntimeException failure = failure(e);
      if (!(optional && failure instanceof ReaderGoneException)) {
        failed = true;
        throw failure;
      }
    } finally {
      // Also after a failure: what was written in part must not be written again.
      buffer.clear();
    }
  }

  /** Tells whether writing failed, other than by a reader who need not have it all. */
  boolean hasFailed() {
    return failed;
  }

  /** Flushes, unless writing failed before, and closes. */
  @Override
  public void close() {
    try (WritableByteChannel closing = owned ? channel : null) {
      flush();
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private void begin(boolean afterByteOrderMark) {
    if (empty && afterByteOrderMark) {
      put(BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
    } else if (!lineEnded) {
      byte[] missing = endsWithCr ? LF : lineEnd;
      put(missing, 0, missing.length);
    }
    empty = false;
  }

  private void put(byte[] bytes, int start, int end) {
    int at = start;
    while (end - at > buffer.remaining()) {
      int fits = buffer.remaining();
      buffer.put(bytes, at, fits);
      at += fits;
      flush();
    }
    buffer.put(bytes, at, end - at);
    if (end > start) {
      remember(bytes, start, end);
    }
  }

  private RuntimeException failure(IOException e) {
    // Java does not tell EPIPE but by its text, which may be translated; on a pipe nothing else
    // goes wrong.
    if (pipe || "Broken pipe".equals(e.getMessage())) {
      return new ReaderGoneException(e);
    }
    return Failure.io("cannot write " + name, e);
  }
}
