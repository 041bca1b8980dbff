package dev.onlyonce.filter;

import dev.onlyonce.filter.internal.Memory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Settings of a filter. Defaults:
 *
 * <ul>
 *   <li>error rate: 0.001, about 15.7 bits a key
 *   <li>seed: random; filters that are to be united or share hashes need the same one
 *   <li>when a fixed filter is over-full: new keys are refused
 *   <li>generations of a rotating filter: 4
 *   <li>memory: the heap
 * </ul>
 *
 * <p>A builder may make several filters. Not safe for use by several threads.
 */
public final class FilterBuilder {

  /** The smallest error rate that can be asked for, about 39 bits a key. */
  public static final double MIN_ERROR_RATE = 1e-6;

  /** The largest error rate that can be asked for. */
  public static final double MAX_ERROR_RATE = 0.25;

  /** The most generations of a rotating filter; each look-up asks all of them. */
  public static final int MAX_GENERATIONS = 32;

  static final Duration MAX_WINDOW = Duration.ofDays(3660);

  private final long keys;
  private double errorRate = 0.001;
  private long seed = ThreadLocalRandom.current().nextLong();
  private WhenOverFull whenOverFull = WhenOverFull.REFUSE;
  private int generations = 4;
  private Memory memory = Memory.HEAP;

  FilterBuilder(long keys) {
    if (keys < 1) {
      throw new IllegalArgumentException("keys must be at least 1, were " + keys);
    }
    this.keys = keys;
  }

  /** Promises that at most this part of the keys that were never put is answered with "maybe". */
  public FilterBuilder errorRate(double rate) {
    if (!(rate >= MIN_ERROR_RATE && rate <= MAX_ERROR_RATE)) {
      throw new IllegalArgumentException(
          "error rate must be %s to %s, was %s".formatted(MIN_ERROR_RATE, MAX_ERROR_RATE, rate));
    }
    errorRate = rate;
    return this;
  }

  /** Hashes with this seed. */
  public FilterBuilder seed(long number) {
    seed = number;
    return this;
  }

  /** Says what a fixed filter does when it is over-full. */
  public FilterBuilder whenOverFull(WhenOverFull reaction) {
    whenOverFull = Objects.requireNonNull(reaction);
    return this;
  }

  /**
   * Says into how many generations a rotating filter divides the time: n of them keep a key for the
   * window and at most the n-1th part of it longer.
   */
  public FilterBuilder generations(int number) {
    if (number < 2 || number > MAX_GENERATIONS) {
      throw new IllegalArgumentException(
          "generations must be 2 to %d, were %d".formatted(MAX_GENERATIONS, number));
    }
    generations = number;
    return this;
  }

  /**
   * Keeps the bits in direct buffers, which a collector neither moves nor counts; look-ups take
   * somewhat longer. They count against {@code -XX:MaxDirectMemorySize}, which is as much as the
   * heap unless it is set, and are given back when the collector finds that nobody has the filter.
   */
  public FilterBuilder offHeap() {
    memory = Memory.OFF_HEAP;
    return this;
  }

  /**
   * Makes a filter that has room for the keys and no more.
   *
   * @throws IllegalArgumentException if it would need more than 16 GiB
   */
  public BloomFilter fixed() {
    return new BloomFilter(terms(), whenOverFull);
  }

  /**
   * Makes a filter that has room for the keys at first and grows.
   *
   * @throws IllegalArgumentException if its first slice would need more than 16 GiB
   */
  public ScalableBloomFilter scalable() {
    return new ScalableBloomFilter(terms());
  }

  /**
   * Makes a filter that remembers a key for at least a window of time since it was last put, and
   * expects so many keys in each window. It grows if there are more.
   *
   * @throws IllegalArgumentException if the window is not between a millisecond a generation and
   *     ten years
   */
  public RotatingBloomFilter rotating(Duration window, InstantSource time) {
    if (window.compareTo(Duration.ofMillis(generations)) < 0 || window.compareTo(MAX_WINDOW) > 0) {
      throw new IllegalArgumentException(
          "window must be %s to %s, was %s"
              .formatted(Duration.ofMillis(generations), MAX_WINDOW, window));
    }
    return new RotatingBloomFilter(terms(), generations, window, time);
  }

  private Terms terms() {
    return new Terms(seed, errorRate, keys, memory);
  }

  static void checkRoom(long[] hashes, boolean[] answers) {
    if (answers.length < hashes.length) {
      throw new IllegalArgumentException(
          "there must be room for %d answers, was for %d".formatted(hashes.length, answers.length));
    }
  }
}
