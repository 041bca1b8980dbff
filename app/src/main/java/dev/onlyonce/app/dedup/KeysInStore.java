package dev.onlyonce.app.dedup;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.output.FileMark;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keys that are kept in a store which other runs may use at the same time.
 *
 * <p><b>Guarantee.</b> A key is claimed, its record is written, and only when that is on the disk,
 * or in the pipe, is the claim completed. So no record is lost, whatever ends the run; what a pipe
 * holds is its reader's. The records of the last claims may be written once more by the next run,
 * when their leases are over. A key that another run has claimed is waited for: it becomes a
 * duplicate, or this run's.
 *
 * <p>Who waits holds nothing: claims that were granted together with one that was not are released
 * first, so no two runs wait for one another. Not thread-safe.
 */
public final class KeysInStore implements SeenKeys, Outputs.Marks {

  private static final int MANY_CLAIMS = 5_000;

  /** Long before another run may take what is claimed. */
  private static final long OLD_NANOS = Limits.LEASE.toNanos() / 10;

  private static final int PURGE = 1_000;
  private static final int MOST_PURGES = 100;
  private static final long SHORTEST_WAIT_MILLIS = 50;
  private static final long LONGEST_WAIT_MILLIS = 1_000;

  private record Pending(Claim claim, Duration retention) {}

  private final ClaimStore store;
  private final Runnable closing;
  private final Scope scope;
  private final Consumer<String> notices;
  private final Time time = Time.system();

  /** Claimed by this run; their records are not known to be written. */
  private final Map<Key, Pending> pending = new LinkedHashMap<>();

  private @Nullable Outputs outputs;
  private long lost;
  private long oldestNanos;
  private boolean toldOfWaiting;

  /**
   * @param closing done at the end
   * @param scope of all runs that have keys in common
   * @param notices is told sentences for the user
   */
  public KeysInStore(ClaimStore store, Runnable closing, Scope scope, Consumer<String> notices) {
    this.store = store;
    this.closing = closing;
    this.scope = scope;
    this.notices = notices;
  }

  @Override
  public Outputs.Marks marks() {
    return this;
  }

  @Override
  public @Nullable FileMark of(String path) {
    return null;
  }

  @Override
  public boolean isInterrupted() {
    return false;
  }

  @Override
  public boolean areAppended() {
    return true;
  }

  @Override
  public long begin(Outputs begun, byte[] firstRecord, @Nullable String layout) {
    outputs = begun;
    begun.begin();
    return 0;
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    Map<Key, ClaimRequest> asked = new LinkedHashMap<>();
    for (ClaimRequest request : batch) {
      if (!pending.containsKey(request.key())) {
        asked.putIfAbsent(request.key(), leased(request, request.requestId()));
      }
    }
    Map<Key, Answer> answers = decide(List.copyOf(asked.values()));
    Set<Key> answered = new HashSet<>();
    List<Answer> all = new ArrayList<>(batch.size());
    for (ClaimRequest request : batch) {
      Answer answer = answered.add(request.key()) ? answers.get(request.key()) : null;
      all.add(answer == null ? copyOfPending() : answer);
    }
    return all;
  }

  private ClaimRequest leased(ClaimRequest request, long requestId) {
    return new ClaimRequest(
        scope,
        request.key(),
        requestId,
        null,
        Limits.LEASE,
        request.retention(),
        Lapse.TAKE,
        null,
        ClaimRequest.ANY);
  }

  /** What a copy is answered whose key this run has claimed: it is one, whatever comes. */
  private static Answer copyOfPending() {
    return new Answer.Done(Result.NONE, Duration.ZERO, false);
  }

  /** Asks until each key is this run's, or known. */
  private Map<Key, Answer> decide(List<ClaimRequest> requests) {
    long wait = SHORTEST_WAIT_MILLIS;
    List<ClaimRequest> asked = requests;
    while (true) {
      long askedNanos = time.nanoTime();
      List<Answer> answers = asked.isEmpty() ? List.of() : store.claim(asked);
      if (!isAnyOpen(answers)) {
        oldestNanos = pending.isEmpty() ? askedNanos : oldestNanos;
        return granted(asked, answers);
      }
      release(answers);
      await(wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MILLIS);
      // What was answered and released is asked as something new.
      asked = asked.stream().map(it -> leased(it, ThreadLocalRandom.current().nextLong())).toList();
    }
  }

  private boolean isAnyOpen(List<Answer> answers) {
    try {
      return answers.stream().anyMatch(this::isOpen);
    } catch (Failure e) {
      release(answers);
      throw e;
    }
  }

  private boolean isOpen(Answer answer) {
    if (answer instanceof Answer.InDoubt || answer instanceof Answer.Failed) {
      throw Failure.files(
          "a key of scope %s is %s, which is for somebody to decide (after doctor --restored, or by"
                  .formatted(scope, answer instanceof Answer.Failed ? "failed" : "in doubt")
              + " another user of the scope): see onlyonce claims list, then resolve or reset it");
    }
    return answer instanceof Answer.InProgress || answer instanceof Answer.Deferred;
  }

  private Map<Key, Answer> granted(List<ClaimRequest> requests, List<Answer> answers) {
    Map<Key, Answer> byKey = new LinkedHashMap<>();
    for (int i = 0; i < answers.size(); i++) {
      ClaimRequest request = requests.get(i);
      byKey.put(request.key(), answers.get(i));
      if (answers.get(i) instanceof Answer.Claimed claimed) {
        pending.put(request.key(), new Pending(claimed.claim(), request.retention()));
      }
    }
    return byKey;
  }

  private void release(List<Answer> answers) {
    List<Settlement> releases = new ArrayList<>();
    for (Answer answer : answers) {
      if (answer instanceof Answer.Claimed claimed) {
        releases.add(
            new Settlement.Release(
                claimed.claim(), Duration.ZERO, Settlement.Attempts.REFUND, Limits.RETENTION));
      }
    }
    if (!releases.isEmpty()) {
      store.settle(releases);
    }
  }

  private void await(long millis) {
    settle(); // what is written already need not wait, too
    if (!toldOfWaiting) {
      toldOfWaiting = true;
      notices.accept(
          "waiting for keys that another run has claimed, up to %d s if it has died"
              .formatted(Limits.LEASE.toSeconds()));
    }
    long jitter = ThreadLocalRandom.current().nextLong(millis);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis + jitter));
  }

  @Override
  public boolean isDue() {
    return pending.size() >= MANY_CLAIMS
        || (!pending.isEmpty() && time.nanoTime() - oldestNanos > OLD_NANOS);
  }

  @Override
  public void written(long records, boolean isEnd) {
    settle();
    if (isEnd && lost > 0) {
      notices.accept(
          "%s took longer to write than the lease of %d s, and another run has claimed the key"
                  .formatted(Quantity.of(lost, "record"), Limits.LEASE.toSeconds())
              + " meanwhile: it may be in both outputs");
    }
  }

  private void settle() {
    if (pending.isEmpty()) {
      return;
    }
    if (outputs != null) {
      outputs.flush();
      outputs.sync();
    }
    List<Settlement> all = new ArrayList<>(pending.size());
    pending
        .values()
        .forEach(it -> all.add(new Settlement.Complete(it.claim, Result.NONE, it.retention)));
    for (int from = 0; from < all.size(); from += Limits.BATCH) {
      List<Settlement> some = all.subList(from, Math.min(all.size(), from + Limits.BATCH));
      lost += store.settle(some).stream().filter(it -> it == Held.LOST).count();
    }
    pending.clear();
  }

  @Override
  public int forget() {
    int all = 0;
    int some = PURGE;
    for (int i = 0; i < MOST_PURGES && some == PURGE; i++) {
      some = store.purge(PURGE);
      all += some;
    }
    return all;
  }

  @Override
  public void close() {
    closing.run();
  }
}
