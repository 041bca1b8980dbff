package dev.onlyonce.app.dedup;

import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.RecordReader;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads records and finds their keys on a thread of its own, a few batches ahead. One thread takes
 * batches and gives them back.
 */
final class ReadAhead implements AutoCloseable {

  private static final int BATCHES = 4;

  private final RecordReader reader;
  private final List<String> expressions;
  private final BlockingQueue<KeyedBatch> free = new ArrayBlockingQueue<>(BATCHES);
  private final BlockingQueue<KeyedBatch> full = new ArrayBlockingQueue<>(BATCHES);
  private final Thread thread;
  private @Nullable RecordKeys keys;

  /** Starts to read. */
  ReadAhead(RecordReader reader, List<String> expressions) {
    this.reader = reader;
    this.expressions = expressions;
    for (int i = 0; i < BATCHES; i++) {
      free.add(new KeyedBatch());
    }
    this.thread = new Thread(this::read, "onlyonce-read");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the next batch. */
  KeyedBatch take() throws InterruptedException {
    return full.take();
  }

  /** Gives a batch back, to be filled again. */
  void giveBack(KeyedBatch batch) {
    free.add(batch);
  }

  private void read() {
    try {
      KeyedBatch batch;
      do {
        batch = free.take();
        fill(batch);
        full.put(batch);
      } while (!batch.last && batch.failure == null);
    } catch (InterruptedException e) {
      // Nobody takes any more.
    }
  }

  private void fill(KeyedBatch batch) {
    try {
      batch.last = !reader.read(batch.records);
      batch.header = reader.header();
      Format format = reader.format().orElse(Format.LINES);
      if (keys == null && reader.format().isPresent()) {
        keys = RecordKeys.of(format, batch.header, expressions);
      }
      if (keys != null) {
        batch.findKeys(keys, format);
      }
    } catch (RuntimeException | Error e) {
      batch.failure = e instanceof RuntimeException failure ? failure : new RuntimeException(e);
    }
  }

  /** Ends the reading; a read that waits for its input is left behind. */
  @Override
  public void close() {
    thread.interrupt();
  }
}
