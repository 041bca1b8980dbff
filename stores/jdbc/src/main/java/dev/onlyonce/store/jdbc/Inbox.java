package dev.onlyonce.store.jdbc;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.DeliveryTransaction;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Messages whose effects are in the store's own database: claim, effect and result commit together,
 * so each effect happens exactly once there.
 *
 * <p><b>Guarantee.</b> A verdict of {@link Verdict.Applied} is committed. Effects whose transaction
 * was rolled back have not happened. What an effect does elsewhere is not covered. Before the
 * commit it is looked whether what was claimed is in the transaction still: an effect that has
 * swallowed a deadlock, by which the server undid them, fails. One that has committed by a
 * statement and then failed is in doubt, and with it all that were begun in its transaction.
 *
 * <p><b>Batches</b> are one transaction; if one effect fails, they are done again one by one, so
 * that only that one fails. Effects may run more than once for this, and for conflicts, each time
 * in a new transaction after the last one was rolled back. One that has waited too long for a lock
 * is tried once more only: set {@code lock_timeout} (PostgreSQL) or {@code
 * innodb_lock_wait_timeout}, by which these waits end.
 *
 * <p><b>Retention.</b> Keys are kept for 7 days unless told otherwise, but nobody forgets them by
 * itself: call {@link JdbcStore#purge} every minute, or let an engine on the same tables do it.
 *
 * <p><b>Thread-safety.</b> Any number of threads.
 *
 * <p><b>Failure.</b> {@link StoreException} when the database does not answer, and nothing that was
 * handed over has taken effect unless it is found done when it is handed over again.
 */
public final class Inbox {

  private static final System.Logger LOG = System.getLogger(Inbox.class.getName());
  private static final int TRIES = 10;

  /** Each has waited for as long as the effect's connection waits for a lock. */
  private static final int TRIES_LOCKED = 2;

  private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);

  private final JdbcStore store;
  private final DataSource source;
  private final Scope scope;
  private final Duration retention;
  private final Duration maxWait;

  private Inbox(
      JdbcStore store, DataSource source, Scope scope, Duration retention, Duration maxWait) {
    this.store = store;
    this.source = source;
    this.scope = scope;
    this.retention = retention;
    this.maxWait = maxWait;
  }

  /**
   * Returns the inbox of a consumer, which keeps keys for 7 days and does not wait for others.
   *
   * @param source of connections to the store's database; the store's own will do
   */
  public static Inbox of(JdbcStore store, DataSource source, Scope scope) {
    return new Inbox(store, source, scope, Limits.RETENTION, Duration.ZERO);
  }

  /** Returns this inbox, keeping keys that long. */
  public Inbox keeping(Duration replacement) {
    Limits.requirePositive("retention", replacement);
    return new Inbox(store, source, scope, replacement, maxWait);
  }

  /**
   * Returns this inbox, waiting that long for transactions that have a key. Meant for single
   * messages: two batches may wait for one another until the time is over.
   */
  public Inbox waiting(Duration replacement) {
    Limits.requireNotNegative("wait", replacement);
    return new Inbox(store, source, scope, retention, replacement);
  }

  /**
   * What a message does, on the transaction's connection. It cannot commit, roll back or close
   * that, but it may go back to savepoints of its own. Its statements must not end the transaction
   * either, as DDL does on MariaDB, MySQL and H2; and it lets go through what the database throws.
   */
  @FunctionalInterface
  public interface Effect {
    /** Does it, and returns what duplicates are answered with. */
    Result apply(Connection transaction) throws SQLException;
  }

  /**
   * A message.
   *
   * @param key what it is known by
   * @param fingerprint of its payload, null to do without
   */
  public record Message(Key key, @Nullable Fingerprint fingerprint, Effect effect) {
    /** Returns a message whose payload is not compared. */
    public static Message of(Key key, Effect effect) {
      return new Message(key, null, effect);
    }
  }

  /**
   * What messages of one kind do, several of them at once: so that the rows of a whole poll are
   * written by one statement.
   *
   * @param <M> messages
   */
  public interface BatchEffect<M> {
    /** Returns what a message is known by. */
    Key key(M message);

    /** Returns the fingerprint of its payload, null to do without. */
    default @Nullable Fingerprint fingerprint(M message) {
      return null;
    }

    /**
     * Returns what must stay in order: of messages with one ordering key none is handled behind one
     * that failed, or could not be handled now. Null for a message that stands alone.
     */
    default @Nullable String orderingKey(M message) {
      return null;
    }

    /**
     * Does what these messages do, on the transaction's connection, by the rules of {@link Effect}.
     *
     * @param fresh those that were not handled before; it may be one, if an effect has failed
     * @return what duplicates of each are answered with, in order
     */
    List<Result> apply(Connection transaction, List<M> fresh) throws SQLException;
  }

  /** Messages that bring their effects with them: one after the other. */
  private static final BatchEffect<Message> EACH_ITS_OWN =
      new BatchEffect<>() {
        @Override
        public Key key(Message message) {
          return message.key();
        }

        @Override
        public @Nullable Fingerprint fingerprint(Message message) {
          return message.fingerprint();
        }

        @Override
        public List<Result> apply(Connection transaction, List<Message> fresh) throws SQLException {
          List<Result> results = new ArrayList<>();
          for (Message message : fresh) {
            results.add(message.effect().apply(transaction));
          }
          return results;
        }
      };

  /** What deliveries do, several of them at once, on the transaction's connection. */
  @FunctionalInterface
  public interface DeliveryEffect {
    /**
     * Does what these deliveries do, by the rules of {@link Effect}.
     *
     * @param fresh those that were not handled before; it may be one, if an effect has failed
     */
    void apply(Connection transaction, List<Delivery> fresh) throws SQLException;
  }

  /**
   * Returns this inbox for {@link dev.onlyonce.messaging.ConsumerBuilder#transaction}: it handles
   * what a consumer receives, a whole poll in one transaction.
   */
  public DeliveryTransaction deliveries(DeliveryEffect effect) {
    return new InboxDeliveries(this, store, scope, retention, effect);
  }

  /** What became of a message. The list is complete. */
  public sealed interface Verdict {
    /** The effect has happened now. */
    record Applied(Result result) implements Verdict {}

    /** The effect had happened before. */
    record Duplicate(Result result) implements Verdict {}

    /** The key is not to be handled, or not now, as the answer says. */
    record Refused(Answer answer) implements Verdict {}

    /** The effect failed, and has not happened. */
    record Failed(Exception cause) implements Verdict {}

    /** Tells whether the message may be acknowledged. */
    default boolean isFinal() {
      return this instanceof Applied
          || this instanceof Duplicate
          || (this instanceof Refused refused && refused.answer() instanceof Answer.Failed);
    }
  }

  /** Handles one message in a transaction of its own. */
  public Verdict handle(Message message) {
    return handleAll(List.of(message)).get(0);
  }

  /** Handles messages in one transaction, or one by one if one of them fails. */
  public List<Verdict> handleAll(List<Message> batch) {
    return handleAll(batch, Map.of());
  }

  /**
   * Handles messages in one transaction, with the positions that are reached by them; these are
   * saved if all verdicts are final.
   */
  public List<Verdict> handleAll(List<Message> batch, Map<String, Position> positions) {
    return handleAll(batch, EACH_ITS_OWN, positions);
  }

  /**
   * Handles messages that have one effect together; else the same. If the effect fails, it is done
   * again for one message after the other.
   */
  public <M> List<Verdict> handleAll(
      List<M> batch, BatchEffect<M> effect, Map<String, Position> positions) {
    Map<Key, M> first = new LinkedHashMap<>();
    batch.forEach(it -> first.putIfAbsent(effect.key(it), it));
    List<M> messages = List.copyOf(first.values());
    Map<String, Position> reached = isRefused(batch, first, effect) ? Map.of() : positions;
    Map<Key, Verdict> verdicts = new HashMap<>();
    try {
      verdicts.putAll(together(messages, effect, reached));
    } catch (EffectException e) {
      verdicts.putAll(oneByOne(messages, effect));
      if (verdicts.values().stream().allMatch(Verdict::isFinal)) {
        savePositions(effect, reached);
      }
    }
    List<Verdict> all = new ArrayList<>();
    Set<Key> seen = new HashSet<>();
    for (M message : batch) {
      Key key = effect.key(message);
      Verdict verdict = verdicts.getOrDefault(key, new Verdict.Refused(BUSY));
      boolean isCopy = !seen.add(key);
      Fingerprint stored = effect.fingerprint(first.getOrDefault(key, message));
      all.add(isCopy ? ofCopy(verdict, stored, effect.fingerprint(message)) : verdict);
    }
    return all;
  }

  private static final Answer BUSY = new Answer.InProgress(Duration.ZERO);
  private static final Answer WAITS = new Answer.Deferred(Duration.ZERO);

  /** Tells whether a message has the key of an earlier one in its batch, and another payload. */
  private static <M> boolean isRefused(List<M> batch, Map<Key, M> first, BatchEffect<M> effect) {
    return batch.stream()
        .anyMatch(
            it -> {
              M earlier = first.getOrDefault(effect.key(it), it);
              return isOther(effect.fingerprint(earlier), effect.fingerprint(it));
            });
  }

  private static boolean isOther(@Nullable Fingerprint stored, @Nullable Fingerprint given) {
    return stored != null && given != null && !stored.equals(given);
  }

  /** A copy in the same batch follows the first one, if it is one. */
  private static Verdict ofCopy(
      Verdict verdict, @Nullable Fingerprint stored, @Nullable Fingerprint ofCopy) {
    if (stored != null && isOther(stored, ofCopy)) {
      return new Verdict.Refused(new Answer.Mismatch(stored));
    }
    return verdict instanceof Verdict.Applied applied
        ? new Verdict.Duplicate(applied.result())
        : verdict;
  }

  /** Positions that cannot be saved now are saved by a later call. */
  private <M> void savePositions(BatchEffect<M> effect, Map<String, Position> reached) {
    try {
      together(List.of(), effect, reached);
    } catch (EffectException e) {
      LOG.log(Level.WARNING, "positions could not be saved, a later batch saves them", e.reason);
    }
  }

  /** Nobody overtakes a message of his ordering key that is not handled now. */
  private <M> Map<Key, Verdict> oneByOne(List<M> messages, BatchEffect<M> effect) {
    Map<Key, Verdict> verdicts = new HashMap<>();
    Set<String> stopped = new HashSet<>();
    for (M message : messages) {
      String order = effect.orderingKey(message);
      if (order != null && stopped.contains(order)) {
        verdicts.put(effect.key(message), new Verdict.Refused(WAITS));
        continue;
      }
      Map<Key, Verdict> verdict = alone(message, effect);
      verdicts.putAll(verdict);
      if (order != null && !verdict.values().stream().allMatch(Verdict::isFinal)) {
        stopped.add(order);
      }
    }
    return verdicts;
  }

  private <M> Map<Key, Verdict> alone(M message, BatchEffect<M> effect) {
    try {
      return together(List.of(message), effect, Map.of());
    } catch (EffectException e) {
      return Map.of(effect.key(message), new Verdict.Failed(e.reason));
    }
  }

  /** An effect that failed; its transaction was rolled back. */
  private static final class EffectException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Exception reason;

    EffectException(Exception reason) {
      super(reason);
      this.reason = reason;
    }
  }

  private <M> Map<Key, Verdict> together(
      List<M> messages, BatchEffect<M> effect, Map<String, Position> positions) {
    int locked = 0;
    for (int i = 1; ; i++) {
      // Requests of its own, so that a commit of the last attempt which comes late is not its.
      List<ClaimRequest> requests =
          messages.stream().map(it -> request(effect.key(it), effect.fingerprint(it))).toList();
      Attempt<M> attempt = new Attempt<>(messages, requests, effect);
      Exception failure;
      try {
        return attempt.run(positions);
      } catch (SQLException | StoreException | EffectException e) {
        failure = e;
      }
      List<ClaimRecord> committed = attempt.isClaimed ? committed(requests) : List.of();
      if (!committed.isEmpty()) {
        boolean isWhole = attempt.isCommitting && store.isLost(failure);
        return isWhole ? attempt.verdicts : inDoubt(committed, attempt.verdicts);
      }
      if (failure instanceof EffectException e) {
        throw e;
      }
      locked += attempt.isClaimed && store.isLocked(failure) ? 1 : 0;
      boolean isLast = i == TRIES || locked == TRIES_LOCKED;
      if (isLast || !attempt.isBegun || !mayTryAgain(failure)) {
        throw attempt.ending(
            failure instanceof SQLException e ? store.exception(e) : (StoreException) failure);
      }
      LockSupport.parkNanos(
          TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(1, 5 * i)));
    }
  }

  private boolean mayTryAgain(Exception failure) {
    return failure instanceof StoreException e
        ? e.kind() == StoreException.Kind.UNAVAILABLE
        : store.passing(failure) != null;
  }

  /**
   * The claim makes the key done: nobody sees that before the effect is committed with it, and so a
   * message is written once.
   */
  private ClaimRequest request(Key key, @Nullable Fingerprint fingerprint) {
    long id = ThreadLocalRandom.current().nextLong();
    return new ClaimRequest(
        scope,
        key,
        id,
        fingerprint,
        Limits.LEASE,
        retention,
        Lapse.TAKE,
        Result.NONE,
        ClaimRequest.ANY);
  }

  /** After a transaction without an answer, or a rollback: returns what there is of its claims. */
  private List<ClaimRecord> committed(List<ClaimRequest> requests) {
    List<Optional<ClaimRecord>> found =
        store.find(requests.stream().map(it -> new RecordId(it.scope(), it.key())).toList());
    List<ClaimRecord> committed = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      long id = requests.get(i).requestId();
      found
          .get(i)
          .filter(it -> it.state() == ClaimState.DONE && it.requestId() == id)
          .ifPresent(committed::add);
    }
    return committed;
  }

  /**
   * An effect has committed in its middle, and failed after that: keys read as done, and nobody
   * knows how much has happened. So they are put in doubt, and no copy is taken for a duplicate.
   */
  private Map<Key, Verdict> inDoubt(List<ClaimRecord> committed, Map<Key, Verdict> others) {
    List<ClaimRequest> requests = new ArrayList<>();
    for (ClaimRecord record : committed) {
      Key key = Objects.requireNonNull(record.key());
      long id = ThreadLocalRandom.current().nextLong();
      requests.add(
          ClaimRequest.of(scope, key, id, SHORTEST_LEASE, Lapse.PARK)
              .withFingerprint(record.fingerprint())
              .expecting(record.token()));
    }
    Map<Key, Verdict> verdicts = new HashMap<>(others);
    for (Answer answer : store.claim(requests)) {
      if (answer instanceof Answer.Claimed claimed) {
        Claim claim = claimed.claim();
        Answer doubt = new Answer.InDoubt(claim.token(), claim.attempt());
        verdicts.put(claim.key(), new Verdict.Refused(doubt));
      }
    }
    return verdicts;
  }

  /** One transaction. */
  private final class Attempt<M> {
    private final List<M> messages;
    private final List<ClaimRequest> requests;
    private final BatchEffect<M> effect;
    private final Map<Key, Verdict> verdicts = new HashMap<>();
    private boolean isBegun;
    private boolean isClaimed;
    private boolean isCommitting;

    Attempt(List<M> messages, List<ClaimRequest> requests, BatchEffect<M> effect) {
      this.messages = messages;
      this.requests = requests;
      this.effect = effect;
    }

    Map<Key, Verdict> run(Map<String, Position> positions) throws SQLException {
      try (Connection transaction = source.getConnection()) {
        isBegun = true;
        boolean autoCommit = transaction.getAutoCommit();
        transaction.setAutoCommit(false);
        boolean isClean = false;
        try {
          work(transaction);
          if (!positions.isEmpty() && verdicts.values().stream().allMatch(Verdict::isFinal)) {
            store.save(transaction, scope, positions);
          }
          isCommitting = true;
          transaction.commit();
          isClean = true;
          return verdicts;
        } finally {
          // Whatever was thrown, and be it an Error: switching auto-commit on would commit the
          // rest.
          if (isClean || isRolledBack(transaction)) {
            transaction.setAutoCommit(autoCommit);
          }
        }
      }
    }

    /**
     * Returns how a batch ends that cannot be done: when its keys were claimed, it was an effect
     * that is in the way, be it at the commit, unless that may have been done all the same.
     */
    RuntimeException ending(StoreException e) {
      boolean mayBeDone = isCommitting && e.kind() != StoreException.Kind.REJECTED;
      return isClaimed && !mayBeDone ? new EffectException(e) : e;
    }

    private void work(Connection transaction) throws SQLException {
      List<Answer> answers = store.claim(transaction, requests, maxWait);
      isClaimed = true;
      List<M> fresh = new ArrayList<>();
      List<Claim> claims = new ArrayList<>();
      List<ClaimRequest> granted = new ArrayList<>();
      for (int i = 0; i < messages.size(); i++) {
        Key key = requests.get(i).key();
        if (answers.get(i) instanceof Answer.Claimed claimed) {
          fresh.add(messages.get(i));
          claims.add(claimed.claim());
          granted.add(requests.get(i));
        } else if (answers.get(i) instanceof Answer.Done done) {
          verdicts.put(key, new Verdict.Duplicate(done.result()));
        } else {
          verdicts.put(key, new Verdict.Refused(answers.get(i)));
        }
      }
      if (isOvertaken()) {
        throw new EffectException(new IllegalStateException("a message would be overtaken"));
      }
      List<Result> results = fresh.isEmpty() ? List.of() : apply(Lent.of(transaction), fresh);
      if (!granted.isEmpty() && !store.hasStill(transaction, granted.get(0))) {
        throw new EffectException(
            new IllegalStateException(
                "an effect has swallowed an error by which the database rolled back or aborted the"
                    + " transaction, or has rolled it back by a statement: let such errors go"
                    + " through"));
      }
      Map<Claim, Result> kept = new LinkedHashMap<>();
      for (int i = 0; i < claims.size(); i++) {
        Result result = results.get(i);
        if (!(result instanceof Result.None)) {
          kept.put(claims.get(i), result);
        }
        verdicts.put(claims.get(i).key(), new Verdict.Applied(result));
      }
      store.keep(transaction, kept);
    }

    /** Tells whether a message that is refused for now stands before one of its ordering key. */
    private boolean isOvertaken() {
      Set<String> stopped = new HashSet<>();
      for (M message : messages) {
        String order = effect.orderingKey(message);
        Verdict verdict = verdicts.get(effect.key(message));
        if (order != null && verdict != null && !verdict.isFinal()) {
          stopped.add(order);
        } else if (order != null && verdict == null && stopped.contains(order)) {
          return true;
        }
      }
      return false;
    }

    private List<Result> apply(Connection transaction, List<M> fresh) throws SQLException {
      try {
        List<Result> results = effect.apply(transaction, fresh);
        if (results.size() != fresh.size()) {
          throw new IllegalStateException(
              "an effect must return one result for each of its %d messages, and returned %d"
                  .formatted(fresh.size(), results.size()));
        }
        return results;
      } catch (Exception e) { // also a checked one that is not declared
        SQLException passing = store.passing(e);
        if (passing != null) {
          throw passing;
        }
        throw new EffectException(e);
      }
    }

    /** A connection that cannot roll back is gone, and its transaction with it. */
    private static boolean isRolledBack(Connection transaction) {
      try {
        transaction.rollback();
        return true;
      } catch (SQLException e) {
        return false;
      }
    }
  }
}
