package dev.onlyonce.app.doctor;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.store.Clocks;
import dev.onlyonce.app.store.Finding;
import dev.onlyonce.app.store.Finding.Level;
import dev.onlyonce.app.store.Load;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.app.store.StoreAccess;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a store as a user of it would: its settings, its clock, whether it can be written, how
 * long that takes, and whether it is large enough. It writes some hundreds of keys of its own, in a
 * scope of its own, which expire after a minute.
 */
public final class Examination {

  /** The scope of the keys that it writes. */
  public static final Scope SCOPE = Scope.of("onlyonce/doctor");

  private static final Duration KEPT = Duration.ofMinutes(1);
  private static final int SINGLE_CALLS = 25;
  private static final int BATCHES = 5;
  private static final long MOST_APART_MILLIS = 1_000;

  private final StoreAccess access;
  private final Time time;
  private final @Nullable Load load;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * @param load what the store is to carry; null if that is not known
   */
  public Examination(StoreAccess access, Time time, @Nullable Load load) {
    this.access = access;
    this.time = time;
    this.load = load;
  }

  /** Examines the store; what is found comes in the order in which it is looked at. */
  public List<Finding> run() {
    findings.addAll(access.examine(load));
    if (findings.stream().anyMatch(it -> it.level() == Level.BROKEN)) {
      findings.add(
          new Finding(
              Level.NOTE, "store", "no key was tried: what is broken is to be mended first"));
    } else if (access.isThere()) {
      use();
    } else {
      findings.add(
          new Finding(
              Level.NOTE, "store", "there is none yet, and none was made: no key was tried"));
    }
    if (load != null) {
      room(load);
    }
    return List.copyOf(findings);
  }

  private void use() {
    try (OpenStore store = access.change("doctor")) {
      findings.add(new Finding(Level.OK, "store", "its tables or files are as they should be"));
      clock(store);
      singleCalls(store);
      long keysPerSecond = batches(store);
      if (load != null) {
        speed(load, keysPerSecond);
      }
      findings.addAll(store.afterUse().get());
    } catch (StoreException e) {
      findings.add(new Finding(Level.BROKEN, "store", String.valueOf(e.getMessage())));
    }
  }

  private void clock(OpenStore store) {
    long ahead = Clocks.ahead(store::millis, time::millis);
    long apart = Math.abs(ahead);
    String sentence =
        String.format(
            Locale.ROOT,
            "%,d ms %s this machine's; the store's is the one that counts",
            apart,
            ahead < 0 ? "behind" : "ahead of");
    findings.add(new Finding(apart > MOST_APART_MILLIS ? Level.NOTE : Level.OK, "clock", sentence));
  }

  private void singleCalls(OpenStore store) {
    long[] micros = new long[SINGLE_CALLS];
    for (int i = 0; i < SINGLE_CALLS; i++) {
      long start = time.nanoTime();
      Answer answer = store.claims().claim(List.of(request(null))).get(0);
      if (!(answer instanceof Answer.Claimed claimed) || !complete(store, claimed.claim())) {
        findings.add(
            new Finding(Level.BROKEN, "claims", "a new key was not granted, but " + answer));
        return;
      }
      micros[i] = (time.nanoTime() - start) / 1_000;
    }
    Arrays.sort(micros);
    findings.add(
        new Finding(
            Level.OK,
            "one key",
            String.format(
                Locale.ROOT,
                "claimed and completed in %,d us, median of %d, the slowest %,d us",
                micros[SINGLE_CALLS / 2],
                SINGLE_CALLS,
                micros[SINGLE_CALLS - 1])));
  }

  private static boolean complete(OpenStore store, Claim claim) {
    Held held =
        store.claims().settle(List.of(new Settlement.Complete(claim, Result.NONE, KEPT))).get(0);
    return held != Held.LOST; // a lost answer that was asked for again is ALREADY
  }

  /** Returns how many keys a second one caller gets done in batches. */
  private long batches(OpenStore store) {
    long nanos = Long.MAX_VALUE;
    for (int i = 0; i < BATCHES; i++) {
      List<ClaimRequest> batch = new ArrayList<>(Limits.BATCH);
      while (batch.size() < Limits.BATCH) {
        batch.add(request(Result.NONE));
      }
      long start = time.nanoTime();
      store.claims().claim(batch);
      nanos = Math.min(nanos, time.nanoTime() - start);
    }
    long keysPerSecond = Limits.BATCH * 1_000_000_000L / Math.max(1, nanos);
    findings.add(
        new Finding(
            Level.OK,
            "batches",
            String.format(
                Locale.ROOT,
                "%,d keys a second by one caller, %d a batch, the best of %d",
                keysPerSecond,
                Limits.BATCH,
                BATCHES)));
    return keysPerSecond;
  }

  private static ClaimRequest request(@Nullable Result settleNow) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return new ClaimRequest(
        SCOPE,
        Key.of("doctor-" + Long.toHexString(random.nextLong())),
        random.nextLong(),
        null,
        Limits.LEASE,
        KEPT,
        Lapse.TAKE,
        settleNow,
        ClaimRequest.ANY);
  }

  private void speed(Load asked, long keysPerSecond) {
    String sentence =
        String.format(
            Locale.ROOT,
            "%,d new keys a second are to be claimed, one caller gets %,d done from here",
            asked.keysPerSecond(),
            keysPerSecond);
    findings.add(
        asked.keysPerSecond() > keysPerSecond
            ? new Finding(
                Level.UNSAFE,
                "rate",
                sentence
                    + ": see with onlyonce bench what several get done together, and have so many, or"
                    + " a faster or nearer server")
            : new Finding(Level.OK, "rate", sentence));
  }

  private void room(Load asked) {
    findings.add(
        new Finding(
            Level.NOTE,
            "room",
            String.format(
                Locale.ROOT,
                "%,.0f keys are remembered at a time, about %s at %d bytes a key without a result",
                asked.keys(),
                Quantity.mebibytes((long) (asked.keys() * access.bytesPerKey())),
                access.bytesPerKey())));
  }
}
