package dev.onlyonce.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Claims around transactions.
 *
 * <h2>How a claim that was left behind is understood</h2>
 *
 * Before a transaction is committed, and after its offsets were sent to the broker, each of its
 * claims is renewed with the place of its record as the checkpoint. If a claim was lost by then,
 * the transaction is aborted. Whoever takes over later finds the place, and asks for the committed
 * offset of its partition; while the transaction is open the broker does not answer. The offset is
 * behind the place if and only if the transaction was committed: then the key is done.
 *
 * <p>For one thread.
 */
final class TransactionClaims {
  private static final System.Logger LOG = System.getLogger(KafkaTransactions.class.getName());

  /** How long a lane is left alone whose next key somebody holds. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  private final KafkaSource source;
  private final ClaimStore store;
  private final Scope scope;
  private final KeyExtractor keys;
  private final boolean takesUnkeyed;
  private final Time time = Time.system();
  private final Map<String, Long> heldUntil = new HashMap<>();

  TransactionClaims(
      KafkaSource source, ClaimStore store, Scope scope, KeyExtractor keys, boolean takesUnkeyed) {
    this.source = source;
    this.store = store;
    this.scope = scope;
    this.keys = keys;
    this.takesUnkeyed = takesUnkeyed;
  }

  /** Lanes that are left alone now. */
  Set<String> held() {
    long now = time.nanoTime();
    heldUntil.values().removeIf(until -> until - now <= 0);
    return Set.copyOf(heldUntil.keySet());
  }

  /** What one key of a round came to. */
  private enum Verdict {
    PROCESS,
    PASS,
    WAIT
  }

  /**
   * Claims the keys of these records.
   *
   * @throws IllegalStateException if one has no key and there is nothing for those
   */
  Round begin(List<Arrival> arrivals) {
    List<Extracted> found = arrivals.stream().map(it -> keys.extract(it.delivery())).toList();
    found.forEach(this::requireKey);
    Map<Key, Answer> answers = claim(found);
    Map<Key, Verdict> verdicts = new HashMap<>();
    Set<String> stopped = new HashSet<>();
    Round round = new Round();
    for (int i = 0; i < arrivals.size(); i++) {
      Arrival arrival = arrivals.get(i);
      if (!(found.get(i) instanceof Keyed keyed)) {
        add(round, arrival, stopped.contains(arrival.lane()) ? Verdict.WAIT : Verdict.PROCESS);
        round.unkeyed().add(arrival);
        continue;
      }
      Verdict first = verdicts.get(keyed.key());
      Verdict verdict = first == Verdict.PROCESS ? Verdict.PASS : first;
      if (stopped.contains(arrival.lane())) {
        verdict = Verdict.WAIT;
      } else if (verdict == null) {
        verdict = judge(round, arrival, answers.remove(keyed.key()));
        verdicts.put(keyed.key(), verdict);
      }
      add(round, arrival, verdict);
      if (verdict == Verdict.WAIT) {
        stopped.add(arrival.lane());
      }
    }
    answers.values().forEach(it -> giveBack(round, it));
    long until = time.nanoTime() + LONGEST_WAIT.toNanos();
    stopped.forEach(lane -> heldUntil.put(lane, until));
    return round;
  }

  private void requireKey(Extracted found) {
    if (found instanceof Unkeyed unkeyed && !takesUnkeyed) {
      throw new IllegalStateException(
          unkeyed.detail() + ": say with unkeyed() what becomes of records without a key");
    }
  }

  private static void add(Round round, Arrival arrival, Verdict verdict) {
    switch (verdict) {
      case PROCESS -> {
        round.process().add(arrival);
        round.passed().add(arrival);
      }
      case PASS -> round.passed().add(arrival);
      case WAIT -> round.waiting().add(arrival);
    }
  }

  private Map<Key, Answer> claim(List<Extracted> found) {
    List<Key> distinct =
        found.stream()
            .filter(Keyed.class::isInstance)
            .map(it -> ((Keyed) it).key())
            .distinct()
            .toList();
    Map<Key, Answer> answers = new LinkedHashMap<>();
    for (List<Key> batch : batches(distinct)) {
      List<Answer> some = store.claim(batch.stream().map(this::request).toList());
      for (int i = 0; i < batch.size(); i++) {
        answers.put(batch.get(i), some.get(i));
      }
    }
    return answers;
  }

  private ClaimRequest request(Key key) {
    return ClaimRequest.of(
        scope, key, ThreadLocalRandom.current().nextLong(), Limits.LEASE, Lapse.TAKE);
  }

  private Verdict judge(Round round, Arrival arrival, @Nullable Answer answer) {
    if (answer instanceof Answer.Claimed claimed) {
      Boolean isDone = isDone(claimed.checkpoint());
      if (isDone == null) {
        round.unused().add(claimed.claim());
        return Verdict.WAIT;
      }
      if (isDone) {
        round.before().add(claimed.claim());
        return Verdict.PASS;
      }
      round.claims().put(claimed.claim(), arrival);
      return Verdict.PROCESS;
    }
    boolean isSettled = answer instanceof Answer.Done || answer instanceof Answer.Failed;
    return isSettled ? Verdict.PASS : Verdict.WAIT;
  }

  /**
   * Whether the transaction of a claim that was left behind was committed; null if nobody knows.
   */
  private @Nullable Boolean isDone(byte @Nullable [] checkpoint) {
    if (checkpoint == null) {
      return false;
    }
    RecordPlace place = RecordPlace.parse(new String(checkpoint, UTF_8));
    Boolean isCurrent = source.isCurrent(place);
    if (isCurrent == null) {
      return null;
    }
    if (!isCurrent) {
      LOG.log(
          Level.WARNING,
          "a key that was being processed at {0} is processed again: its topic is not read here any"
              + " more, or was made anew",
          place);
      return false;
    }
    return source.isCommitted(place);
  }

  private static void giveBack(Round round, Answer answer) {
    if (answer instanceof Answer.Claimed claimed) {
      round.unused().add(claimed.claim());
    }
  }

  /**
   * Makes sure that all claims are held, and writes down in them where their records are.
   *
   * @return whether they are
   */
  boolean confirm(Round round) {
    List<Renewal> renewals = new ArrayList<>();
    round
        .claims()
        .forEach(
            (claim, arrival) ->
                renewals.add(
                    new Renewal(
                        claim, Limits.LEASE, RecordPlace.of(arrival).toString().getBytes(UTF_8))));
    return batches(renewals).stream()
        .flatMap(batch -> store.renew(batch).stream())
        .allMatch(Held.HELD::equals);
  }

  /** The transaction is committed. */
  void complete(Round round) {
    settle(round.claims().keySet(), TransactionClaims::done);
    settleOthers(round);
  }

  /** The transaction is aborted. */
  void release(Round round) {
    settle(round.claims().keySet(), TransactionClaims::unused);
    settleOthers(round);
  }

  private void settleOthers(Round round) {
    settle(round.before(), TransactionClaims::done);
    settle(round.unused(), TransactionClaims::unused);
  }

  private static Settlement done(Claim claim) {
    return new Settlement.Complete(claim, new Result.None(), Limits.RETENTION);
  }

  private static Settlement unused(Claim claim) {
    return new Settlement.Release(claim, Duration.ZERO, Attempts.REFUND, Limits.RETENTION);
  }

  /** What cannot be settled is left to its lease: the next holder finds out what happened. */
  private void settle(Iterable<Claim> claims, Function<Claim, Settlement> how) {
    List<Settlement> settlements = new ArrayList<>();
    claims.forEach(claim -> settlements.add(how.apply(claim)));
    try {
      batches(settlements).forEach(store::settle);
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "claims of a transaction are left to their leases", e);
    }
  }

  private static <T> List<List<T>> batches(List<T> all) {
    List<List<T>> batches = new ArrayList<>();
    for (int from = 0; from < all.size(); from += Limits.BATCH) {
      batches.add(all.subList(from, Math.min(all.size(), from + Limits.BATCH)));
    }
    return batches;
  }
}
