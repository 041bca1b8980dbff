package dev.onlyonce.app.dedup;

import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A batch of records and what was found of their keys: what goes from reading to claiming. */
final class KeyedBatch {

  final RecordBatch records = new RecordBatch();
  private @Nullable Extracted[] keys = new Extracted[1024];
  private EventTimes.@Nullable Found[] times = new EventTimes.Found[0];

  /** The header line of the input, on all batches. */
  Optional<Header> header = Optional.empty();

  /** What keys mean in this input, on all batches; null while there are none. */
  @Nullable String layout;

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

  /** Finds the times of the records that have keys. */
  void findTimes(EventTimes finder) {
    int size = records.size();
    if (times.length < size) {
      times = new EventTimes.Found[Math.max(size, times.length * 2)];
    }
    for (int i = 0; i < size; i++) {
      times[i] = keys[i] instanceof Keyed ? finder.find(records, i) : null;
    }
  }

  /** What was found of a record's time; null if it has no key, or if times do not count. */
  EventTimes.@Nullable Found time(int entry) {
    return entry < times.length ? times[entry] : null;
  }

  /** What was found of a key; null if the entry is no record that has one. */
  @Nullable Extracted key(int entry) {
    return keys[entry];
  }
}
