package dev.onlyonce.testkit;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.ClaimHistory.Asked;
import dev.onlyonce.testkit.ClaimHistory.Renewed;
import dev.onlyonce.testkit.ClaimHistory.Settled;
import dev.onlyonce.testkit.ClaimHistory.Span;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Threads that claim, renew, settle and purge a few keys under leases and retentions that end while
 * they do, lose some answers, and come late; and the history of it.
 */
final class RandomHistory {

  private static final int KEYS = 12;
  private static final int STEPS = 1_000;
  private static final long MOST_NANOS = Duration.ofSeconds(5).toNanos();
  private static final double LOST_ANSWERS = 0.03;

  private final Lab lab;
  private final long seed;
  private final List<Key> keys;
  private final Duration step;

  RandomHistory(Lab lab, long seed) {
    this.lab = lab;
    this.seed = seed;
    this.keys = lab.keys(KEYS);
    this.step = lab.isManual() ? lab.units(1) : lab.units(0.05);
  }

  ClaimHistory run() {
    ClaimStore store = lab.store();
    List<ClaimHistory> each =
        Race.run(
            lab.fixture().threads(),
            thread -> {
              FaultyStore faulty = FaultyStore.over(store);
              faulty.failRandomly(seed + thread, LOST_ANSWERS);
              return new Worker(faulty, new Random(seed * 31 + thread)).run();
            });
    ClaimHistory history = new ClaimHistory();
    history.addAll(each);
    return history;
  }

  /** One thread. It keeps the claims that it was granted, and uses some of them late. */
  private final class Worker {
    private final ClaimStore store;
    private final Random random;
    private final ClaimHistory history = new ClaimHistory();
    private final List<Claim> claims = new ArrayList<>();

    Worker(ClaimStore store, Random random) {
      this.store = store;
      this.random = random;
    }

    ClaimHistory run() {
      long start = System.nanoTime();
      for (int i = 0; i < STEPS && System.nanoTime() - start < MOST_NANOS; i++) {
        if (lab.isManual() && random.nextInt(8) == 0) {
          lab.fixture().pass(some(2));
        }
        int verb = random.nextInt(100);
        if (verb < 50 || claims.isEmpty()) {
          claim();
        } else if (verb < 80) {
          settle();
        } else if (verb < 95) {
          renew();
        } else {
          ask(() -> store.purge(1 + random.nextInt(20)), (span, answer) -> {});
        }
      }
      return history;
    }

    private Duration some(int most) {
      return step.multipliedBy(random.nextInt(most * 10) + 1).dividedBy(10);
    }

    private void claim() {
      List<ClaimRequest> batch = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        ClaimRequest request =
            new ClaimRequest(
                Lab.SCOPE,
                keys.get(random.nextInt(KEYS)),
                random.nextLong(),
                null,
                some(6),
                some(8),
                random.nextInt(5) == 0 ? Lapse.PARK : Lapse.TAKE,
                random.nextInt(12) == 0 ? Result.NONE : null,
                ClaimRequest.ANY);
        batch.add(request);
      }
      claim(batch).forEach(this::openIfInDoubt);
    }

    private void openIfInDoubt(ClaimRequest request, Answer answer) {
      if (answer instanceof Answer.InDoubt doubt && random.nextBoolean()) {
        claim(List.of(Lab.byAnother(request).expecting(doubt.token())));
      }
    }

    private Map<ClaimRequest, Answer> claim(List<ClaimRequest> batch) {
      Map<ClaimRequest, Answer> all = new LinkedHashMap<>();
      List<Answer> answers =
          each(
              batch, () -> store.claim(batch), (span, it) -> answer -> new Asked(span, it, answer));
      for (int i = 0; i < answers.size(); i++) {
        all.put(batch.get(i), answers.get(i));
        if (answers.get(i) instanceof Answer.Claimed claimed) {
          claims.add(claimed.claim());
        }
      }
      return all;
    }

    private void settle() {
      Claim claim = claimToUse();
      int kind = random.nextInt(10);
      Settlement settlement;
      if (kind < 6) {
        settlement = new Settlement.Complete(claim, Result.NONE, some(8));
      } else if (kind < 7) {
        settlement = new Settlement.Fail(claim, "it cannot be handled", some(4));
      } else {
        Duration after = random.nextBoolean() ? Duration.ZERO : some(2);
        settlement = new Settlement.Release(claim, after, Attempts.KEEP, some(8));
      }
      List<Settlement> batch = List.of(settlement);
      each(batch, () -> store.settle(batch), (span, it) -> answer -> new Settled(span, it, answer));
    }

    private void renew() {
      Duration lease = random.nextInt(4) == 0 ? Duration.ZERO : some(6);
      List<Renewal> batch = List.of(new Renewal(claimToUse(), lease, null));
      each(batch, () -> store.renew(batch), (span, it) -> answer -> new Renewed(span, it, answer));
    }

    /** A recent claim is likely to be held, an old one to have been overtaken. */
    private Claim claimToUse() {
      int last = claims.size() - 1;
      int at = random.nextInt(3) > 0 ? last : random.nextInt(claims.size());
      return random.nextInt(3) > 0 ? claims.remove(at) : claims.get(at);
    }

    private interface Note<Q, A> {
      Function<@Nullable A, ClaimHistory.Entry> of(Span span, Q item);
    }

    private <Q, A> List<A> each(List<Q> batch, Call<List<A>> call, Note<Q, A> note) {
      return ask(
          call,
          (span, answers) -> {
            for (int i = 0; i < batch.size(); i++) {
              A answer = answers == null ? null : answers.get(i);
              history.add(note.of(span, batch.get(i)).apply(answer));
            }
          });
    }

    private interface Call<T> {
      T make();
    }

    private interface Noted<T> {
      void note(Span span, @Nullable T answer);
    }

    /** Makes a call, and makes it again as long as its answer gets lost. */
    private <T> T ask(Call<T> call, Noted<T> noted) {
      while (true) {
        long begun = System.nanoTime();
        long clockBegun = lab.nanoTime();
        T answer = null;
        try {
          answer = call.make();
        } catch (StoreException e) {
          if (e.kind() != StoreException.Kind.UNAVAILABLE) {
            throw e;
          }
        }
        noted.note(new Span(begun, System.nanoTime(), clockBegun, lab.nanoTime()), answer);
        if (answer != null) {
          return answer;
        }
      }
    }
  }
}
