package dev.onlyonce.store.redis;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that claim new keys and complete most of them, and remember what they were answered. */
final class Load implements AutoCloseable {

  private static final int BATCH = 20;

  private final RedisStore store;
  private final String name;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private volatile boolean ends;

  /** What was answered to be done, and to be held. */
  final Collection<Claim> done = new ConcurrentLinkedQueue<>();

  final Collection<Claim> held = new ConcurrentLinkedQueue<>();
  final Collection<StoreException> failures = new ConcurrentLinkedQueue<>();
  final Collection<Throwable> surprises = new ConcurrentLinkedQueue<>();

  Load(RedisStore store, String name, int count) {
    this.store = store;
    this.name = name;
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(this::run, "load-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  private void run() {
    try {
      while (!ends) {
        int from = numbers.getAndAdd(BATCH);
        try {
          batch(name + "-" + from + "-");
        } catch (StoreException e) {
          failures.add(e);
        }
      }
    } catch (Throwable e) {
      surprises.add(e);
    }
  }

  /** Completes the first three quarters of a batch; what has failed counts as nothing. */
  private void batch(String prefix) {
    List<Claim> claims = new ArrayList<>();
    for (Answer each : store.claim(Claims.requests(prefix, BATCH))) {
      claims.add(Claims.claimed(each));
    }
    List<Claim> first = claims.subList(0, 3 * BATCH / 4);
    held.addAll(claims.subList(3 * BATCH / 4, BATCH));
    List<Settlement> settlements = first.stream().map(Claims::done).toList();
    List<Held> settled = store.settle(settlements);
    for (int i = 0; i < settled.size(); i++) {
      if (settled.get(i) != Held.LOST) {
        done.add(first.get(i));
      }
    }
  }

  int answered() {
    return done.size();
  }

  @Override
  public void close() {
    ends = true;
    for (Thread each : threads) {
      try {
        each.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while a load ends", e);
      }
    }
  }
}
