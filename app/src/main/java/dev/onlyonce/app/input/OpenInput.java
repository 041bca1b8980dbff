package dev.onlyonce.app.input;

import dev.onlyonce.app.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One input that is being read. Keeps what is between two batches: the bytes of the record that has
 * begun but not ended, and where in the input it began.
 */
final class OpenInput {
  private static final int LEAST_READ_BYTES = 64 << 10;
  private static final int[] BYTE_ORDER_MARK = {0xEF, 0xBB, 0xBF};

  private final String name;
  private final InputStream in;
  private final int maxRecordBytes;
  private boolean ended;

  private Framer framer = Framer.of(Format.LINES);
  private Consumer<RecordBatch> header = batch -> {};
  private boolean headerExpected;

  // What has been read but not been handed out.
  private byte[] kept = new byte[0];
  private int keptLength;
  private int keptScanned;
  private boolean continuing;
  private long line = 1;
  private long number = 1;
  private boolean bom;

  private OpenInput(String name, InputStream in, int maxRecordBytes) {
    this.name = name;
    this.in = in;
    this.maxRecordBytes = maxRecordBytes;
  }

  /** Opens an input, and unpacks it if it is compressed. */
  static OpenInput open(Input input, int maxRecordBytes, Progress progress) {
    InputStream stored = new CountedStream(input.open(), progress);
    try {
      OpenInput opened = new OpenInput(input.name(), Decompression.open(stored), maxRecordBytes);
      opened.takeByteOrderMark();
      return opened;
    } catch (IOException e) {
      closeQuietly(stored);
      throw Failure.io("cannot read " + input.name(), e);
    } catch (Failure e) {
      closeQuietly(stored);
      throw e;
    }
  }

  /** The format that the first bytes show; empty if the input is empty. */
  Optional<Format> detect(List<String> keys) {
    while (true) {
      if (keptLength == 0 && ended) {
        return Optional.empty();
      }
      Optional<Format> format = FormatDetector.detect(kept, keptLength, ended, keys);
      if (format.isPresent()) {
        return format;
      }
      keepMore();
    }
  }

  /** Cuts records as this format has it. */
  void cutAs(Format format) {
    framer = Framer.of(format);
  }

  /** Takes the first record for the header: gives it, as entry 0, to the reader of headers. */
  void expectHeader(Consumer<RecordBatch> reader) {
    header = reader;
    headerExpected = true;
  }

  /** Fills the batch with at least one entry; false if the input has no more. */
  boolean fill(RecordBatch batch) {
    batch.begin(name, line, number, bom, maxRecordBytes);
    restore(batch);
    frame(batch);
    while (batch.size() == 0 && !ended && !cutOverLong(batch)) {
      readMore(batch);
      frame(batch);
    }
    keep(batch);
    return batch.size() > 0;
  }

  void close() {
    closeQuietly(in);
  }

  private void frame(RecordBatch batch) {
    framer.frame(batch, ended);
    if (headerExpected && (batch.size() > 0 || cutOverLong(batch))) {
      headerExpected = false;
      header.accept(batch);
      batch.dropFirst();
    }
  }

  private boolean cutOverLong(RecordBatch batch) {
    boolean enough =
        batch.continuing
            ? batch.scanned > batch.open
            // One more for a carriage return, which may be half of a line end.
            : batch.openBytes() > maxRecordBytes + 1 && batch.scanned > batch.open;
    if (enough) {
      framer.beforeCut(batch);
      batch.cut();
    }
    return enough;
  }

  private void readMore(RecordBatch batch) {
    int room = batch.room(LEAST_READ_BYTES);
    int n = read(batch.bytes(), batch.filled, room, batch.openLine);
    ended = n < 0;
    batch.filled += Math.max(n, 0);
  }

  private void restore(RecordBatch batch) {
    batch.restore(kept, keptLength);
    batch.scanned = keptScanned;
    batch.continuing = continuing;
  }

  private void keep(RecordBatch batch) {
    int length = batch.openBytes();
    if (kept.length < length || kept.length > 4 * (length + LEAST_READ_BYTES)) {
      kept = new byte[length];
    }
    System.arraycopy(batch.bytes(), batch.open, kept, 0, length);
    keptLength = length;
    keptScanned = batch.scanned - batch.open;
    continuing = batch.continuing;
    line = batch.openLine;
    number = batch.nextNumber();
    bom = bom && batch.size() == 0;
  }

  private void takeByteOrderMark() {
    // No more is read than it takes to say: a first record may be shorter than the mark.
    while (keptLength < BYTE_ORDER_MARK.length && !ended && mayBeByteOrderMark()) {
      keepMore();
    }
    int first = keptLength < 2 ? 0 : (kept[0] & 0xFF) << 8 | (kept[1] & 0xFF);
    if (first == 0xFEFF || first == 0xFFFE) {
      throw Failure.badInput(name + ": this is UTF-16; convert it to UTF-8 with iconv");
    }
    bom = keptLength >= BYTE_ORDER_MARK.length;
    for (int i = 0; i < BYTE_ORDER_MARK.length && bom; i++) {
      bom = (kept[i] & 0xFF) == BYTE_ORDER_MARK[i];
    }
    if (bom) {
      keptLength -= BYTE_ORDER_MARK.length;
      System.arraycopy(kept, BYTE_ORDER_MARK.length, kept, 0, keptLength);
    }
  }

  private boolean mayBeByteOrderMark() {
    return keptLength == 0 || (kept[0] & 0xFF) >= BYTE_ORDER_MARK[0];
  }

  private void keepMore() {
    if (kept.length - keptLength < LEAST_READ_BYTES) {
      kept = Arrays.copyOf(kept, keptLength + LEAST_READ_BYTES);
    }
    int n = read(kept, keptLength, kept.length - keptLength, 1);
    ended = n < 0;
    keptLength += Math.max(n, 0);
  }

  private int read(byte[] bytes, int offset, int length, long atLine) {
    try {
      return in.read(bytes, offset, length);
    } catch (DamagedException e) {
      throw Failure.badInput(name + ", line " + atLine + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw Failure.io("cannot read " + name + " on from line " + atLine, e);
    }
  }

  private static void closeQuietly(InputStream in) {
    try {
      in.close();
    } catch (IOException e) {
      // It was only read.
    }
  }
}
