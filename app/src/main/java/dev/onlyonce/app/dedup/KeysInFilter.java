package dev.onlyonce.app.dedup;

import dev.onlyonce.Claim;
import dev.onlyonce.Result;
import dev.onlyonce.filter.FilterBuilder;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Keys in a Bloom filter, about two bytes each, that are forgotten at the end of the run.
 *
 * <p><b>Guarantee.</b> A key that was granted is never granted again (in the window, if there is
 * one). A key that never came is refused at the error rate that was asked for: its record is
 * dropped, although nobody has seen it.
 *
 * <p>Used by one thread.
 */
public final class KeysInFilter implements SeenKeys {

  /** The smallest error rate. */
  public static final double MIN_ERROR_RATE = FilterBuilder.MIN_ERROR_RATE;

  /** All error rates are smaller. */
  public static final double TOO_LARGE_ERROR_RATE = 0.5;

  /** The shortest window. */
  public static final Duration MIN_WINDOW = Duration.ofMillis(10);

  /** The longest window. */
  public static final Duration MAX_WINDOW = Duration.ofDays(3660);

  /** What a filter has room for before it grows: so many that chance does not move the rate. */
  private static final int FIRST_KEYS = 500_000;

  private static final Answer DUPLICATE = new Answer.Done(Result.NOT_KEPT, Duration.ZERO, false);

  private final KeyFilter filter;

  private KeysInFilter(KeyFilter filter) {
    this.filter = filter;
  }

  /** Remembers every key until the end. */
  public static KeysInFilter unbounded(double errorRate) {
    return new KeysInFilter(builder(errorRate).scalable());
  }

  /**
   * Remembers a key for at least this window since it was granted, and at most a third longer, by
   * the monotonic clock.
   */
  public static KeysInFilter ofWindow(double errorRate, Duration window, Time time) {
    long begin = time.nanoTime();
    return new KeysInFilter(
        builder(errorRate)
            .rotating(window, () -> Instant.ofEpochSecond(0, time.nanoTime() - begin)));
  }

  private static FilterBuilder builder(double errorRate) {
    return KeyFilter.forKeys(FIRST_KEYS)
        .errorRate(Math.min(errorRate, FilterBuilder.MAX_ERROR_RATE));
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    List<Answer> answers = new ArrayList<>(batch.size());
    for (ClaimRequest request : batch) {
      answers.add(isNew(request) ? claimed(request) : DUPLICATE);
    }
    return answers;
  }

  /** Only what is new is put: a duplicate would begin the key's window again. */
  private boolean isNew(ClaimRequest request) {
    long hash = filter.hash(request.key().toBytes());
    return !filter.mightContainHash(hash) && filter.putHash(hash);
  }

  private static Answer claimed(ClaimRequest request) {
    Claim claim = new Claim(request.scope(), request.key(), 1, 1);
    return new Answer.Claimed(claim, request.lease(), null);
  }

  /** The filter forgets by itself. */
  @Override
  public int forget() {
    return 0;
  }

  @Override
  public OptionalDouble estimatedErrorRate() {
    return OptionalDouble.of(filter.estimatedErrorRate());
  }

  /** How much memory the keys take. */
  public long sizeInBytes() {
    return filter.sizeInBytes();
  }

  @Override
  public void close() {}
}
