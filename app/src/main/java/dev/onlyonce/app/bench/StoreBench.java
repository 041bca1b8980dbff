package dev.onlyonce.app.bench;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/**
 * Measures a store as its users use it, by keys of its own that expire after a minute. What it
 * finds holds for this machine, this network and this moment.
 */
public final class StoreBench {

  /** The scope of the keys that it writes. */
  public static final Scope SCOPE = Scope.of("onlyonce/bench");

  private static final Duration KEPT = Duration.ofMinutes(1);

  /** How many batches are written to have duplicates of. */
  private static final int KNOWN_BATCHES = 20;

  private final ClaimStore store;
  private final Duration time;
  private final int threads;
  private final int batch;
  private final String prefix = Long.toHexString(ThreadLocalRandom.current().nextLong()) + "-";

  /**
   * @param time how long each kind of work is measured, after a fifth of it to warm up
   * @param threads how many ask about one key a call
   * @param batch how many keys a call is about where there are many
   */
  public StoreBench(ClaimStore store, Duration time, int threads, int batch) {
    this.store = store;
    this.time = time;
    this.threads = threads;
    this.batch = batch;
  }

  /** Something that is done again and again until the time is over. */
  private interface Call {
    void run();
  }

  /** Measures one kind of work. */
  public Figure measure(Work work) {
    Call call = call(work);
    int callers = work.isBatched() ? 1 : threads;
    int keys = work.isBatched() ? batch : 1;
    run(call, callers, time.dividedBy(5));
    long start = System.nanoTime();
    long[] nanos = run(call, callers, time);
    Duration taken = Duration.ofNanos(System.nanoTime() - start);
    Arrays.sort(nanos);
    return new Figure(
        work,
        callers,
        keys,
        (long) nanos.length * keys,
        taken,
        nanos[nanos.length / 2] / 1_000,
        nanos[(int) (nanos.length * 99L / 100)] / 1_000);
  }

  private Call call(Work work) {
    if (work == Work.DUPLICATES) {
      int known = KNOWN_BATCHES * batch;
      List<Key> keys = new ArrayList<>();
      for (int i = 0; i < known; i++) {
        keys.add(Key.of(prefix + "known-" + i));
      }
      for (int i = 0; i < known; i += batch) {
        handle(store, keys.subList(i, i + batch));
      }
      return () -> claimAgain(keys);
    }
    ClaimStore asked = work.isCombined() ? CombiningStore.over(store) : store;
    return () -> handle(asked, newKeys(work.isBatched() ? batch : 1));
  }

  private List<Key> newKeys(int count) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    List<Key> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(Key.of(prefix + Long.toHexString(random.nextLong())));
    }
    return keys;
  }

  private static void handle(ClaimStore store, List<Key> keys) {
    List<Settlement> completions = new ArrayList<>(keys.size());
    for (Answer answer : store.claim(requests(keys))) {
      completions.add(new Settlement.Complete(granted(answer), Result.NONE, KEPT));
    }
    for (Held held : store.settle(completions)) {
      if (held == Held.LOST) {
        throw failed("a key was lost before it was completed: is the machine overloaded?");
      }
    }
  }

  private static Claim granted(Answer answer) {
    if (answer instanceof Answer.Claimed claimed) {
      return claimed.claim();
    }
    throw failed("a new key was not granted, but " + answer);
  }

  private void claimAgain(List<Key> known) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    List<Key> keys = new ArrayList<>(batch);
    for (int i = 0; i < batch; i++) {
      keys.add(known.get(random.nextInt(known.size())));
    }
    for (Answer answer : store.claim(requests(keys))) {
      if (!(answer instanceof Answer.Done)) {
        throw failed("a key that is done was not called a duplicate, but " + answer);
      }
    }
  }

  private static List<ClaimRequest> requests(List<Key> keys) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return keys.stream()
        .map(key -> ClaimRequest.of(SCOPE, key, random.nextLong(), Limits.LEASE, Lapse.TAKE))
        .toList();
  }

  private static Failure failed(String sentence) {
    return Failure.store(new StoreException(StoreException.Kind.REJECTED, sentence));
  }

  /** Returns how long each call took, nanoseconds. */
  private static long[] run(Call call, int callers, Duration time) {
    ExecutorService pool = Executors.newFixedThreadPool(callers);
    try {
      long end = System.nanoTime() + time.toNanos();
      List<Callable<long[]>> work = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        work.add(() -> callUntil(end, call));
      }
      List<long[]> all = new ArrayList<>();
      for (Future<long[]> nanos : pool.invokeAll(work)) {
        all.add(nanos.get());
      }
      return all.stream().flatMapToLong(LongStream::of).toArray();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("interrupted");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private static long[] callUntil(long end, Call call) {
    long[] nanos = new long[1_024];
    int count = 0;
    long start = System.nanoTime();
    do {
      call.run();
      long now = System.nanoTime();
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, count * 2);
      }
      nanos[count++] = now - start;
      start = now;
    } while (start < end);
    return Arrays.copyOf(nanos, count);
  }
}
