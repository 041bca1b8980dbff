package dev.onlyonce.app.dedup;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.RecordReader;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads records and finds their keys on a thread of its own, a few batches ahead. One thread takes
 * batches and gives them back.
 *
 * <p>The reading thread alone uses the reader, and closes it: a read that waits for its input could
 * not be closed from outside without waiting, too.
 */
final class ReadAhead implements AutoCloseable {

  private static final int BATCHES = 4;

  private final RecordReader reader;
  private final KeyExpressions expressions;
  private final BlockingQueue<KeyedBatch> free = new ArrayBlockingQueue<>(BATCHES);
  private final BlockingQueue<KeyedBatch> full = new ArrayBlockingQueue<>(BATCHES);
  private final Thread thread;
  private @Nullable RecordKeys keys;
  private @Nullable EventTimes times;
  private @Nullable String layout;

  /** Starts to read. */
  ReadAhead(RecordReader reader, KeyExpressions expressions) {
    this.reader = reader;
    this.expressions = expressions;
    for (int i = 0; i < BATCHES; i++) {
      free.add(new KeyedBatch());
    }
    this.thread = new Thread(this::read, "onlyonce-read");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns true if the next batch is there already, so that taking it does not wait. */
  boolean isReady() {
    return !full.isEmpty();
  }

  /**
   * Returns the next batch.
   *
   * @throws Failure if reading has ended early; all records before have been taken
   */
  KeyedBatch take() {
    try {
      KeyedBatch batch = full.take();
      batch.throwFailure();
      return batch;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Failure.badInput("interrupted");
    }
  }

  /** Gives a batch back, to be filled again. */
  void giveBack(KeyedBatch batch) {
    free.add(batch);
  }

  private void read() {
    try (reader) {
      KeyedBatch batch;
      do {
        batch = free.take();
        fill(batch);
        full.put(batch);
      } while (!batch.isEnd());
    } catch (InterruptedException e) {
      // Nobody takes any more.
    }
  }

  private void fill(KeyedBatch batch) {
    try {
      batch.last = !reader.read(batch.records);
      batch.header = reader.header();
      Format format = reader.format().orElse(Format.LINES);
      // Where all inputs are empty there may be no header that could name the columns.
      boolean known = !batch.last || batch.header.isPresent() || !format.hasColumns();
      if (keys == null && known && reader.format().isPresent()) {
        keys = RecordKeys.of(format, batch.header, "--key", expressions.keys());
        times = expressions.times(format, batch.header);
        layout = expressions.layout(format, batch.header);
      }
      batch.layout = layout;
      if (keys != null) {
        batch.findKeys(keys, format);
      }
      if (times != null) {
        batch.findTimes(times);
      }
    } catch (RuntimeException | Error e) {
      batch.failure = e;
    }
  }

  /** Ends the reading; a read that waits for its input is left behind. */
  @Override
  public void close() {
    thread.interrupt();
  }
}
