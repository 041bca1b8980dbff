package dev.onlyonce.app.dedup;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.output.FileMark;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.app.output.ReaderGoneException;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
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
 * holds is its reader's. A run that ends by itself, or by a signal, completes what it has written.
 * So only one that is killed, or whose store or output fails, leaves records that the next run
 * writes once more: {@value #MANY_CLAIMS} at the most, as no more is claimed before that is
 * completed. A key that another run has claimed is waited for: it becomes a duplicate, or this
 * run's.
 *
 * <p>Claims are renewed as {@link HeldClaims} says. Who waits holds nothing: claims that were
 * granted together with one that was not are released first, so no two runs wait for one another.
 * Not thread-safe.
 */
public final class KeysInStore implements SeenKeys, Outputs.Marks {

  /** So many records are claimed at the most and not completed. */
  private static final int MANY_CLAIMS = 5_000;

  /** Long before another run may take what is claimed. */
  private static final Duration OLD = Limits.LEASE.dividedBy(10);

  private static final int PURGE = 1_000;
  private static final int MOST_PURGES = 100;
  private static final long SHORTEST_WAIT_MILLIS = 50;
  private static final long LONGEST_WAIT_MILLIS = 1_000;

  private final ClaimStore store;
  private final Runnable closing;
  private final Scope scope;
  private final Consumer<String> notices;
  private final Time time;

  /** Claimed by this run; their records are not known to be written. */
  private final HeldClaims held;

  private final OrderlyEnd end = OrderlyEnd.begin();

  private @Nullable Outputs outputs;

  /** How many records of claims were completed. */
  private long completed;

  private boolean toldOfWaiting;

  /**
   * @param closing done at the end
   * @param scope of all runs that have keys in common
   * @param notices is told sentences for the user
   */
  public KeysInStore(ClaimStore store, Runnable closing, Scope scope, Consumer<String> notices) {
    this(store, closing, scope, notices, Time.system());
  }

  KeysInStore(
      ClaimStore store, Runnable closing, Scope scope, Consumer<String> notices, Time time) {
    this.store = store;
    this.closing = closing;
    this.scope = scope;
    this.notices = notices;
    this.time = time;
    this.held = new HeldClaims(store, Limits.LEASE, time);
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
      if (!held.has(request.key())) {
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
      end.hold();
      long askedNanos = time.nanoTime();
      List<Answer> answers = asked.isEmpty() ? List.of() : store.claim(asked);
      if (!isAnyOpen(answers)) {
        Map<Key, HeldClaims.Open> granted = granted(asked, answers);
        if (areHeld(granted, askedNanos)) {
          return byKey(asked, answers);
        }
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

  private static Map<Key, HeldClaims.Open> granted(
      List<ClaimRequest> requests, List<Answer> answers) {
    Map<Key, HeldClaims.Open> granted = new LinkedHashMap<>();
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) instanceof Answer.Claimed claimed) {
        ClaimRequest request = requests.get(i);
        granted.put(request.key(), new HeldClaims.Open(claimed.claim(), request.retention()));
      }
    }
    return granted;
  }

  /** Takes what was granted, unless the answer took so long that it may be another's by now. */
  private boolean areHeld(Map<Key, HeldClaims.Open> granted, long askedNanos) {
    long sinceNanos = askedNanos;
    if (!granted.isEmpty() && time.nanoTime() - askedNanos > OLD.toNanos()) {
      sinceNanos = time.nanoTime();
      List<Held> renewed = held.renew(List.copyOf(granted.values()));
      if (!renewed.stream().allMatch(Held.HELD::equals)) {
        return false;
      }
    }
    held.add(granted, sinceNanos);
    return true;
  }

  private static Map<Key, Answer> byKey(List<ClaimRequest> requests, List<Answer> answers) {
    Map<Key, Answer> byKey = new LinkedHashMap<>();
    for (int i = 0; i < answers.size(); i++) {
      byKey.put(requests.get(i).key(), answers.get(i));
    }
    return byKey;
  }

  private void release(List<Answer> answers) {
    List<Settlement> releases = new ArrayList<>();
    for (Answer answer : answers) {
      if (answer instanceof Answer.Claimed claimed) {
        releases.add(HeldClaims.release(claimed.claim()));
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
  public boolean mustBeWritten() {
    return held.size() > MANY_CLAIMS - Limits.BATCH || held.isAnyOlderThan(OLD);
  }

  @Override
  public void written(long records, boolean isEnd) {
    settle();
  }

  private void settle() {
    if (held.size() > 0) {
      writeOut();
      complete(held.size());
    }
    end.holdNothing();
  }

  private void writeOut() {
    if (outputs != null) {
      outputs.flush();
      outputs.sync();
    }
  }

  private void complete(int count) {
    int before = held.size();
    try {
      held.complete(count);
    } finally {
      completed += before - held.size();
    }
  }

  @Override
  public void endEarly(long passed) {
    try {
      if (isWrittenOut()) {
        complete((int) (passed - completed));
      }
      held.releaseAll();
    } catch (StoreException e) {
      notices.accept(
          "%s could not be completed or released in the store: the next run may write what was"
                  .formatted(Quantity.of(held.size(), "key"))
              + " written of them once more, when their leases of %d s are over"
                  .formatted(Limits.LEASE.toSeconds()));
    }
    if (held.lost() > 0) {
      notices.accept(sentenceOfLost());
    }
  }

  /** Where an output has failed, nobody knows which of the last records are in it. */
  private boolean isWrittenOut() {
    try {
      writeOut();
      return outputs != null && !outputs.hasFailed();
    } catch (Failure | ReaderGoneException e) {
      return false;
    }
  }

  @Override
  public void requireKept() {
    if (held.lost() > 0) {
      throw Failure.files(sentenceOfLost());
    }
  }

  private String sentenceOfLost() {
    return "%s could not be completed, as this run stood still, or was without its store, for longer than"
            .formatted(Quantity.of(held.lost(), "key"))
        + " their lease of %d s, and another run or an operator has taken or settled them meanwhile:"
            .formatted(Limits.LEASE.toSeconds())
        + " their records may be in both outputs";
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
    held.close();
    end.close();
    closing.run();
  }
}
