package dev.onlyonce.app.bench;

import java.time.Duration;

/**
 * What one kind of work came to.
 *
 * @param work what was done
 * @param threads how many did it at the same time
 * @param batch how many keys a call was about
 * @param keys how many keys were done with
 * @param time how long all that took
 * @param medianMicros how long a batch, or a key where a call is about one, took in the middle,
 *     microseconds
 * @param slowMicros what 99 of 100 were within, microseconds
 */
public record Figure(
    Work work,
    int threads,
    int batch,
    long keys,
    Duration time,
    long medianMicros,
    long slowMicros) {

  /** Returns how many keys were done with in a second. */
  public long keysPerSecond() {
    return Math.round(keys * 1e9 / time.toNanos());
  }
}
