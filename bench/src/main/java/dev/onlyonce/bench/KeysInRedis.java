package dev.onlyonce.bench;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.store.redis.RedisStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongFunction;

/**
 * Fills a store in Redis with keys that are done; or claims new keys and duplicates among so many,
 * and prints the nanoseconds of a claim and of a duplicate on the clock, and both of the server's
 * CPU. The arguments are {@code fill}, {@code few} or {@code many}, the number of keys, and the
 * server. Few keys are filled in anew for each step, since the claims add to them.
 */
public final class KeysInRedis {

  private static final int BATCH = 1_000;
  private static final int STEP = 20_000;
  private static final int WARM_UPS = 5;
  private static final int STEPS = 10;

  private final RedisNodes nodes;
  private final int keys;
  private long claimNanos;
  private long duplicateNanos;
  private long claimCpu;
  private long duplicateCpu;

  private KeysInRedis(String uri, int keys) {
    this.nodes = new RedisNodes(List.of(uri));
    this.keys = keys;
  }

  /** Fills, or measures and prints. */
  public static void main(String[] args) {
    KeysInRedis run = new KeysInRedis(args[2], Integer.parseInt(args[1]));
    if (args[0].equals("fill")) {
      run.fill("many");
      return;
    }
    for (int i = 0; i < WARM_UPS; i++) {
      run.step(args[0]);
    }
    run.claimNanos = run.duplicateNanos = run.claimCpu = run.duplicateCpu = 0;
    for (int i = 0; i < STEPS; i++) {
      run.step(args[0]);
    }
    run.print();
  }

  private void print() {
    double count = (double) STEPS * STEP;
    System.out.printf(
        Locale.ROOT,
        "%.1f %.1f %.1f %.1f%n",
        claimNanos / count,
        duplicateNanos / count,
        claimCpu / count,
        duplicateCpu / count);
  }

  private void step(String name) {
    String prefix = name;
    if (name.equals("few")) {
      prefix = name + Long.toHexString(ThreadLocalRandom.current().nextLong());
      fill(prefix);
    }
    // Above all that is there already, and above what another run has added.
    long fresh = keys + (ThreadLocalRandom.current().nextLong() >>> 1) % (1L << 60);
    SplittableRandom random = new SplittableRandom();
    try (RedisPeer peer = RedisStorePeer.at(prefix, nodes.uris())) {
      long cpu = nodes.cpuNanos();
      claimNanos += claim(peer, STEP, i -> MessageKeys.get(fresh + i));
      long between = nodes.cpuNanos();
      claimCpu += between - cpu;
      duplicateNanos += claim(peer, 0, i -> MessageKeys.get(random.nextInt(keys)));
      duplicateCpu += nodes.cpuNanos() - between;
    }
  }

  /** Returns how long it took to claim as many as a step has. */
  private static long claim(RedisPeer peer, int expected, LongFunction<byte[]> keyOf) {
    long start = System.nanoTime();
    int claimed = 0;
    byte[][] batch = new byte[BATCH][];
    for (int i = 0; i < STEP; i += BATCH) {
      for (int j = 0; j < BATCH; j++) {
        batch[j] = keyOf.apply(i + j);
      }
      claimed += peer.claim(batch);
    }
    if (claimed != expected) {
      throw new IllegalStateException("%,d keys were new, not %,d".formatted(claimed, expected));
    }
    return System.nanoTime() - start;
  }

  private void fill(String prefix) {
    try (RedisStore store = RedisStore.at(nodes.uris().get(0)).prefix(prefix).open()) {
      long now = store.millis();
      for (int i = 0; i < keys; i += BATCH) {
        List<ClaimRecord> batch = new ArrayList<>(BATCH);
        for (int j = 0; j < BATCH; j++) {
          batch.add(done(MessageKeys.get(i + j), now));
        }
        store.put(batch);
      }
    }
  }

  private static ClaimRecord done(byte[] key, long now) {
    return new ClaimRecord(
        RedisStorePeer.SCOPE,
        Key.ofBytes(key),
        ClaimState.DONE,
        now * 1_000,
        1,
        1,
        0,
        0,
        now + Limits.RETENTION.toMillis(),
        Lapse.TAKE,
        null,
        Result.NONE,
        null,
        "bench",
        now,
        now);
  }
}
