package dev.onlyonce.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimMachine.Decision;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The records of a memory store: {@value #STRIPES} stripes, each with a lock of its own, chosen by
 * the key's hash. Safe for use by several threads.
 */
public final class MemoryTable {

  private static final int STRIPES = 64;

  /** How many slots one page of a listing looks at, so that locks are not held for long. */
  private static final int PAGE_SLOTS = 50_000;

  private final MemoryScopes scopes = new MemoryScopes();
  private final ClaimMachine machine;
  private final long capacity;
  private final long purgeGraceMillis;
  private final MemoryStripe[] stripes = new MemoryStripe[STRIPES];
  private final ReentrantLock[] locks = new ReentrantLock[STRIPES];
  private final AtomicLong size = new AtomicLong();

  /** Makes an empty table that holds at most this many records. */
  public MemoryTable(ClaimMachine machine, long capacity, Duration purgeGrace) {
    this.machine = machine;
    this.capacity = capacity;
    this.purgeGraceMillis = Limits.millis(purgeGrace);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new MemoryStripe(scopes);
      locks[i] = new ReentrantLock();
    }
  }

  /** Claims each key; a full table first forgets what it may. */
  public List<Answer> claim(List<ClaimRequest> batch, long nowMicros) {
    while (true) {
      try {
        return each(
            batch,
            request -> hashOf(request.scope(), request.key()),
            (stripe, hash, slot, request) -> claim(stripe, hash, slot, request, nowMicros));
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.FULL || purge(Limits.BATCH, nowMicros) == 0) {
          throw e;
        }
        // What was granted before is asked for again, and the same claims are the answer.
      }
    }
  }

  private Answer claim(
      MemoryStripe stripe, Hash hash, int slot, ClaimRequest request, long nowMicros) {
    if (slot >= 0 && isPlainDuplicate(stripe, slot, request, nowMicros)) {
      long age = Math.floorDiv(nowMicros, 1_000) - stripe.completedAt(slot);
      return new Answer.Done(
          stripe.compactResult(slot), Duration.ofMillis(Math.max(0, age)), false);
    }
    ClaimRecord found = slot < 0 ? null : stripe.record(slot);
    Decision<Answer> decision = machine.claim(found, request, nowMicros, stripe.floor());
    ClaimRecord write = decision.write();
    if (write != null && slot >= 0) {
      stripe.replace(slot, write);
    } else if (write != null) {
      reserve(stripe);
      try {
        stripe.add(hash, write);
      } catch (OutOfMemoryError e) {
        size.decrementAndGet();
        throw e;
      }
    }
    return decision.answer();
  }

  /** Tells whether a record is compact and the machine would answer Done: the shortest way. */
  private static boolean isPlainDuplicate(
      MemoryStripe stripe, int slot, ClaimRequest request, long nowMicros) {
    return stripe.isCompact(slot)
        && Math.floorDiv(nowMicros, 1_000) < stripe.expiresAt(slot)
        && request.expectToken() == ClaimRequest.ANY
        && (request.settleNow() == null || request.requestId() != stripe.requestId(slot));
  }

  /** Counts one more record in. */
  private void reserve(MemoryStripe stripe) {
    if (stripe.hasRoom() && size.incrementAndGet() <= capacity) {
      return;
    }
    if (stripe.hasRoom()) {
      size.decrementAndGet();
    }
    throw new StoreException(
        StoreException.Kind.FULL,
        String.format(
            Locale.ROOT,
            "the memory store is full: it holds its capacity of %,d records; raise the capacity,"
                + " shorten the retention, or use a store that is not bounded by memory",
            capacity));
  }

  /** Settles each claim. */
  public List<Held> settle(List<? extends Settlement> batch, long nowMicros) {
    return each(
        batch,
        settlement -> hashOf(settlement.claim().scope(), settlement.claim().key()),
        (stripe, hash, slot, settlement) ->
            change(stripe, slot, machine.settle(found(stripe, slot), settlement, nowMicros)));
  }

  /** Renews each claim. */
  public List<Held> renew(List<Renewal> batch, long nowMicros) {
    return each(
        batch,
        renewal -> hashOf(renewal.claim().scope(), renewal.claim().key()),
        (stripe, hash, slot, renewal) ->
            change(stripe, slot, machine.renew(found(stripe, slot), renewal, nowMicros)));
  }

  private static @Nullable ClaimRecord found(MemoryStripe stripe, int slot) {
    return slot < 0 ? null : stripe.record(slot);
  }

  private static Held change(MemoryStripe stripe, int slot, Decision<Held> decision) {
    if (decision.write() != null) {
      stripe.replace(slot, decision.write());
    }
    return decision.answer();
  }

  /** What is done about an item while its stripe is locked. */
  private interface Verb<Q, A> {
    A apply(MemoryStripe stripe, Hash hash, int slot, Q item);
  }

  private <Q, A> List<A> each(List<? extends Q> batch, Function<Q, Hash> hashing, Verb<Q, A> verb) {
    if (batch.size() == 1) {
      return List.of(alone(batch.get(0), hashing, verb));
    }
    if (batch.size() <= capacity - size.get()) {
      return together(batch, hashing, verb);
    }
    // In their order, so that those are refused which come after the table is full.
    List<A> answers = new ArrayList<>(batch.size());
    for (Q item : batch) {
      answers.add(alone(item, hashing, verb));
    }
    return answers;
  }

  private <Q, A> A alone(Q item, Function<Q, Hash> hashing, Verb<Q, A> verb) {
    Hash hash = hashing.apply(item);
    int number = stripeOf(hash);
    locks[number].lock();
    try {
      return verb.apply(stripes[number], hash, stripes[number].find(hash), item);
    } finally {
      locks[number].unlock();
    }
  }

  /**
   * Takes a batch stripe by stripe. Each is locked once, and all its items are looked up before
   * anything is done about the first, so that the processor waits for their memory only once.
   */
  private <Q, A> List<A> together(
      List<? extends Q> batch, Function<Q, Hash> hashing, Verb<Q, A> verb) {
    Hash[] hashes = new Hash[batch.size()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = hashing.apply(batch.get(i));
    }
    int[] order = byStripe(hashes);
    int[] slots = new int[hashes.length];
    @SuppressWarnings("unchecked") // made here, and filled with answers only
    A[] answers = (A[]) new Object[hashes.length];
    int to;
    for (int from = 0; from < order.length; from = to) {
      int number = stripeOf(hashes[order[from]]);
      MemoryStripe stripe = stripes[number];
      locks[number].lock();
      try {
        for (to = from; to < order.length && stripeOf(hashes[order[to]]) == number; to++) {
          slots[to] = stripe.find(hashes[order[to]]);
        }
        for (int i = from; i < to; i++) {
          int item = order[i];
          // What was not there then may have been added for an earlier item.
          int slot = slots[i] < 0 ? stripe.find(hashes[item]) : slots[i];
          answers[item] = verb.apply(stripe, hashes[item], slot, batch.get(item));
        }
      } finally {
        locks[number].unlock();
      }
    }
    return Arrays.asList(answers);
  }

  /** Returns the numbers of the hashes in the order of their stripes, else as they are. */
  private static int[] byStripe(Hash[] hashes) {
    int[] ends = new int[STRIPES];
    for (Hash hash : hashes) {
      ends[stripeOf(hash)]++;
    }
    for (int i = 1; i < STRIPES; i++) {
      ends[i] += ends[i - 1];
    }
    int[] order = new int[hashes.length];
    for (int i = hashes.length - 1; i >= 0; i--) {
      order[--ends[stripeOf(hashes[i])]] = i;
    }
    return order;
  }

  /** Forgets up to {@code limit} records whose expiry and grace are over. */
  public int purge(int limit, long nowMicros) {
    long expiredBy = Math.floorDiv(nowMicros, 1_000) - purgeGraceMillis;
    int purged = 0;
    for (int i = 0; i < STRIPES && purged < limit; i++) {
      locks[i].lock();
      try {
        int here = stripes[i].purge(expiredBy, limit - purged);
        size.addAndGet(-here);
        purged += here;
      } finally {
        locks[i].unlock();
      }
    }
    return purged;
  }

  /** Returns the record of a key, whether it has expired or not. */
  public @Nullable ClaimRecord find(Scope scope, Key key) {
    Hash at = hashOf(scope, key);
    int number = stripeOf(at);
    locks[number].lock();
    try {
      int slot = stripes[number].find(at);
      ClaimRecord record = slot < 0 ? null : stripes[number].record(slot);
      return record == null ? null : record.withKey(key);
    } finally {
      locks[number].unlock();
    }
  }

  /** Counts the records of each state that have not expired at this time. */
  public Map<ClaimState, Long> totals(long nowMillis) {
    Map<ClaimState, Long> totals = new EnumMap<>(ClaimState.class);
    for (int i = 0; i < STRIPES; i++) {
      locks[i].lock();
      try {
        stripes[i].forEach(
            record -> {
              if (!record.isExpired(nowMillis)) {
                totals.merge(record.state(), 1L, Long::sum);
              }
            });
      } finally {
        locks[i].unlock();
      }
    }
    return totals;
  }

  /**
   * Returns a page of the records that have not expired at this time. A cursor is the number of the
   * next slot to look at, as if the slots of all stripes stood in one row of 2<sup>24</sup> each.
   */
  public Page list(Query query, long cursor, long nowMillis) {
    List<ClaimRecord> records = new ArrayList<>();
    int seen = 0;
    for (int i = (int) (cursor >>> 24); i < STRIPES; i++) {
      locks[i].lock();
      try {
        int from = i == (int) (cursor >>> 24) ? (int) cursor & 0xFF_FFFF : 0;
        for (int slot = from; slot < stripes[i].slots(); slot++) {
          if (records.size() == query.limit() || seen++ == PAGE_SLOTS) {
            return new Page(records, Long.toString((long) i << 24 | slot));
          }
          ClaimRecord record = stripes[i].record(slot);
          if (record != null && machine.matches(query, record, nowMillis)) {
            records.add(record);
          }
        }
      } finally {
        locks[i].unlock();
      }
    }
    return new Page(records, null);
  }

  private Hash hashOf(Scope scope, Key key) {
    return scopes.of(scope).hash().of(key);
  }

  private static int stripeOf(Hash hash) {
    return (int) (hash.second() >>> 58);
  }
}
