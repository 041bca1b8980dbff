package dev.onlyonce.filter;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;

/** Keys by number: the same in every run, all different, and mixed as a good hash is. */
final class Hashes {

  private Hashes() {}

  static long of(long n) {
    long bits = n * 0x9e3779b97f4a7c15L;
    bits = (bits ^ bits >>> 30) * 0xbf58476d1ce4e5b9L;
    bits = (bits ^ bits >>> 27) * 0x94d049bb133111ebL;
    return bits ^ bits >>> 31;
  }

  static long[] range(long from, int count) {
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = of(from + i);
    }
    return hashes;
  }

  /** Puts keys 0 to count. */
  static <F extends KeyFilter> F filled(F filter, int count) {
    for (int i = 0; i < count; i++) {
      filter.putHash(of(i));
    }
    return filter;
  }

  static long countOf(KeyFilter filter, long from, long count) {
    long found = 0;
    for (long i = from; i < from + count; i++) {
      found += filter.mightContainHash(of(i)) ? 1 : 0;
    }
    return found;
  }

  /** The part of strangers that are taken for known. */
  static double measured(KeyFilter filter, long strangers) {
    return (double) countOf(filter, 1L << 40, strangers) / strangers;
  }

  /** Lets threads put the same keys at the same time; returns how often each was new. */
  static AtomicInteger[] race(int threads, int keys, LongPredicate put) throws Exception {
    AtomicInteger[] news = new AtomicInteger[keys];
    for (int i = 0; i < keys; i++) {
      news[i] = new AtomicInteger();
    }
    AtomicInteger arrived = new AtomicInteger();
    AtomicBoolean failed = new AtomicBoolean();
    Thread[] all = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      all[t] =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < keys; i++) {
                    meet(arrived, threads * (i / 16 + 1), i % 16 == 0, failed);
                    if (put.test(of(i))) {
                      news[i].incrementAndGet();
                    }
                  }
                } catch (RuntimeException | Error e) {
                  failed.set(true);
                  throw e;
                }
              });
      all[t].start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    if (failed.get()) {
      throw new AssertionError("a thread of the race has failed");
    }
    return news;
  }

  /** Every few keys the threads wait for one another, so that they stay on the same keys. */
  @SuppressWarnings("ThreadPriorityCheck") // only sooner, not otherwise
  private static void meet(
      AtomicInteger arrived, int expected, boolean here, AtomicBoolean failed) {
    if (here) {
      arrived.incrementAndGet();
      while (arrived.get() < expected && !failed.get()) {
        Thread.onSpinWait();
        Thread.yield();
      }
    }
  }
}
