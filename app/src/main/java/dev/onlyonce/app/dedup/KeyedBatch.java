package dev.onlyonce.app.dedup;

import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A batch of records and what was found of their keys: what goes from reading to claiming. */
final class KeyedBatch {

  final RecordBatch records = new RecordBatch();
  private @Nullable Extracted[] keys = new Extracted[1024];

  /** The header line of the input, on all batches. */
  Optional<Header> header = Optional.empty();

  /** Whether there are no more records. */
  boolean last;

  /** Why reading has ended early, unchecked; then the batch has no records. */
  @Nullable Throwable failure;

  /** Whether this is the last batch, for whatever reason. */
  boolean isEnd() {
    return last || failure != null;
  }

  /** Throws what has ended the reading early, if that is so. */
  void throwFailure() {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }

  /** Finds the keys of the records that are whole and well formed. */
  void findKeys(RecordKeys finder, Format format) {
    int size = records.size();
    if (keys.length < size) {
      keys = new Extracted[Math.max(size, keys.length * 2)];
    }
    for (int i = 0; i < size; i++) {
      keys[i] = records.isPlain(i) && !records.isBlank(i, format) ? finder.find(records, i) : null;
    }
    Arrays.fill(keys, size, keys.length, null);
  }

  /** What was found of a key; null if the entry is no record that has one. */
  @Nullable Extracted key(int entry) {
    return keys[entry];
  }
}
