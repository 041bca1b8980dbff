package dev.onlyonce.app.input;

import dev.onlyonce.app.Failure;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads inputs one behind the other as batches of records.
 *
 * <p>What is guaranteed: the entries of all batches, the header lines and byte order marks at the
 * beginning of inputs are, put together, exactly the bytes of the inputs (unpacked, if they were
 * gzip or zstd). Reading ends normally only where the last input ends; whatever is found wrong
 * before is told with its entry or ends the reading with a {@link Failure}, after all whole records
 * before it have been handed out.
 *
 * <p>A batch holds records of one input, and at least one. {@link #read} waits only until there is
 * one whole record, so a slow stream is not held back. A record above the size limit comes in
 * parts, and the buffer of a batch never grows beyond that limit by more than its normal size.
 *
 * <p>The header line of an input with columns is not an entry, see {@link #header}.
 *
 * <p>Not thread-safe: one thread reads at a time; batches may be used elsewhere.
 */
public final class RecordReader implements AutoCloseable {
  private final ReadSettings settings;
  private final Iterator<Input> inputs;
  private final Progress progress;
  private @Nullable Format format;
  private @Nullable Header header;
  private @Nullable OpenInput current;

  /** Reads these inputs, in this order. Nothing is opened before the first {@link #read}. */
  public RecordReader(List<Input> inputs, ReadSettings settings) {
    this.settings = settings;
    this.inputs = List.copyOf(inputs).iterator();
    this.format = settings.format();
    long total = 0;
    for (Input input : inputs) {
      long size = input.size();
      total = size < 0 || total < 0 ? -1 : total + size;
    }
    this.progress = new Progress(total);
  }

  /**
   * Fills the batch with the next records. Returns false, with an empty batch, if there are no
   * more.
   *
   * @throws Failure if an input cannot be opened or read on, or is damaged
   */
  public boolean read(RecordBatch batch) {
    while (true) {
      OpenInput input = current;
      if (input == null) {
        if (!inputs.hasNext()) {
          batch.begin("", 0, 0, false, settings.maxRecordBytes());
          return false;
        }
        input = open(inputs.next());
      }
      if (input.fill(batch)) {
        progress.addRecords(batch.nextNumber() - batch.number(0));
        return true;
      }
      input.close();
      current = null;
    }
  }

  /**
   * The header line of the first input that has one; empty if the format has no columns or no
   * header was asked for. Known once {@link #read} has returned the first time. A further input
   * with other columns is refused.
   */
  public Optional<Header> header() {
    return Optional.ofNullable(header);
  }

  /** The format; empty before the first {@link #read}, and if all inputs are empty. */
  public Optional<Format> format() {
    return Optional.ofNullable(format);
  }

  /** Counts of what has been read. */
  public Progress progress() {
    return progress;
  }

  private OpenInput open(Input input) {
    OpenInput opened = OpenInput.open(input, settings.maxRecordBytes(), progress);
    current = opened;
    if (format == null) {
      format = opened.detect(settings.keys()).orElse(null);
    }
    Format known = format;
    if (known != null) {
      opened.cutAs(known);
      if (settings.header() && known.hasColumns()) {
        opened.expectHeader(batch -> meet(Header.of(batch, known)));
      }
    }
    return opened;
  }

  private void meet(Header met) {
    if (header == null) {
      header = met;
    } else {
      header.checkSame(met);
    }
  }

  @Override
  public void close() {
    if (current != null) {
      current.close();
      current = null;
    }
  }
}
