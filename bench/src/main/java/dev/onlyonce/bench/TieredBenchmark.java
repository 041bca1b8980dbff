package dev.onlyonce.bench;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Messages of a stream, each claimed and done in one step, into stores on servers of the
 * benchmark's own. The requests are made before the time is taken.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TieredBenchmark {

  static final int MESSAGES = 300_000;

  private static final int NEW_KEYS = 50_000;
  private static final int DUPLICATES = 300_000;
  private static final int KNOWN = 100_000;
  private static final int BATCH = 500;
  private static final int LARGE_BATCH = 1_000;
  private static final double SHARE_OF_NEW = 0.3;
  private static final dev.onlyonce.Scope SCOPE = dev.onlyonce.Scope.of("bench");

  /** A store and its servers, and how many keys it has seen. */
  @State(Scope.Benchmark)
  public static class Opened {
    @Param("database")
    public String contender;

    TieredContender store;
    int keys;

    @Setup(Level.Trial)
    public void open() throws Exception {
      store = TieredContender.named(contender);
      for (List<ClaimRequest> each : batches(BATCH, KNOWN, 0)) {
        store.claims().claim(each);
      }
      keys = KNOWN;
      store.awaitBehind();
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
      store.close();
    }

    List<List<ClaimRequest>> fresh(int count) {
      keys += count;
      return batches(BATCH, count, keys - count);
    }

    /**
     * Draws duplicates among the last keys that are known, the most of them hardly a second old.
     */
    List<List<ClaimRequest>> mixed(int count) {
      SplittableRandom random = new SplittableRandom(keys);
      List<ClaimRequest> all = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        boolean isNew = random.nextDouble() < SHARE_OF_NEW;
        all.add(request(isNew ? keys++ : keys - 1 - random.nextInt(KNOWN)));
      }
      return split(all, LARGE_BATCH);
    }
  }

  /** What one iteration asks. */
  @State(Scope.Benchmark)
  public static class Asked {
    List<List<ClaimRequest>> stream = List.of();
    List<List<ClaimRequest>> fresh = List.of();
    List<List<ClaimRequest>> known = List.of();

    @Setup(Level.Iteration)
    public void make(Opened opened) {
      stream = opened.mixed(MESSAGES);
      fresh = opened.fresh(NEW_KEYS);
      known = batches(BATCH, DUPLICATES, 0);
      System.gc();
    }
  }

  /** Seven of ten messages are copies. */
  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public long stream(Opened opened, Asked asked, Cpu cpu) {
    return cpu.measureProcess(
        MESSAGES,
        () -> {
          long fresh = claim(opened, asked.stream);
          opened.store.awaitBehindIfAsked();
          return fresh;
        });
  }

  /** All are new. */
  @Benchmark
  @OperationsPerInvocation(NEW_KEYS)
  public long newKeys(Opened opened, Asked asked, Cpu cpu) {
    return cpu.measureProcess(NEW_KEYS, () -> claim(opened, asked.fresh));
  }

  /** All are copies. */
  @Benchmark
  @OperationsPerInvocation(DUPLICATES)
  public long duplicates(Opened opened, Asked asked, Cpu cpu) {
    return cpu.measureProcess(DUPLICATES, () -> claim(opened, asked.known));
  }

  private static long claim(Opened opened, List<List<ClaimRequest>> batches) {
    long fresh = 0;
    for (List<ClaimRequest> each : batches) {
      for (Answer answer : opened.store.claims().claim(each)) {
        fresh += answer instanceof Answer.Claimed ? 1 : 0;
      }
    }
    return fresh;
  }

  private static List<List<ClaimRequest>> batches(int size, int count, int from) {
    List<ClaimRequest> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add(request(from + i % Math.max(1, Math.min(count, KNOWN))));
    }
    return split(all, size);
  }

  private static List<List<ClaimRequest>> split(List<ClaimRequest> all, int size) {
    List<List<ClaimRequest>> batches = new ArrayList<>();
    for (int from = 0; from < all.size(); from += size) {
      batches.add(all.subList(from, Math.min(from + size, all.size())));
    }
    return batches;
  }

  private static ClaimRequest request(int number) {
    Key key = Key.ofBytes(MessageKeys.get(number));
    return ClaimRequest.of(SCOPE, key, DurablePeer.requestId(), Limits.LEASE, Lapse.TAKE)
        .settlingNow(Result.NONE, Limits.RETENTION);
  }
}
