package dev.onlyonce.testkit;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimMachine.Decision;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The least that a claim store can be: the claim machine over a map, one call at a time. The
 * contract compares stores with it, and its own tests break it.
 *
 * <p>Time is read as the memory store reads it: the wall clock once, then the monotonic one.
 */
class ModelStore implements ClaimStore {

  /** What records are found by. */
  record Name(Scope scope, Key key) {}

  private final Map<Object, ClaimRecord> records = new HashMap<>();
  private final ClaimMachine machine;
  private final StoreSettings settings;
  private final Time time;
  private final long openedMicros;
  private final long openedNanos;
  private long floor;
  private boolean closed;

  ModelStore(Time time, StoreSettings settings) {
    this.time = time;
    this.settings = settings;
    this.machine = new ClaimMachine(settings.clockTolerance(), settings.owner());
    this.openedMicros = time.millis() * 1_000;
    this.openedNanos = time.nanoTime();
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return each(batch, this::claim);
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return each(batch, this::settle);
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return each(batch, this::renew);
  }

  private synchronized <Q, A> List<A> each(List<? extends Q> batch, Function<Q, A> verb) {
    checkOpen();
    List<A> answers = new ArrayList<>();
    for (Q item : batch) {
      answers.add(verb.apply(item));
    }
    return answers;
  }

  Answer claim(ClaimRequest request) {
    ClaimRecord found = find(request.scope(), request.key());
    return write(machine.claim(found, request, nowMicros(), floor));
  }

  Held settle(Settlement settlement) {
    ClaimRecord found = find(settlement.claim().scope(), settlement.claim().key());
    return write(machine.settle(found, settlement, nowMicros()));
  }

  Held renew(Renewal renewal) {
    ClaimRecord found = find(renewal.claim().scope(), renewal.claim().key());
    return write(machine.renew(found, renewal, nowMicros()));
  }

  @Override
  public synchronized int purge(int limit) {
    checkOpen();
    Limits.requirePositive("limit", limit);
    int purged = 0;
    Iterator<ClaimRecord> all = records.values().iterator();
    while (all.hasNext() && purged < limit) {
      ClaimRecord each = all.next();
      if (mayForget(each)) {
        floor = Math.max(floor, each.token());
        all.remove();
        purged++;
      }
    }
    return purged;
  }

  boolean mayForget(ClaimRecord each) {
    return ClaimMachine.mayForget(each, nowMillis(), settings.purgeGrace());
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  final ClaimMachine machine() {
    return machine;
  }

  final long floor() {
    return floor;
  }

  final synchronized @Nullable ClaimRecord find(Scope scope, Key key) {
    return records.get(name(scope, key));
  }

  final synchronized void put(ClaimRecord record) {
    Key key = record.key();
    if (key == null) {
      throw new IllegalArgumentException("record must have its key");
    }
    records.put(name(record.scope(), key), record);
  }

  final synchronized void remove(Scope scope, Key key) {
    records.remove(name(scope, key));
  }

  /** Returns what tells a scope and a key from all others. */
  Object name(Scope scope, Key key) {
    return new Name(scope, key);
  }

  final long nowMicros() {
    return openedMicros + (time.nanoTime() - openedNanos) / 1_000;
  }

  final long nowMillis() {
    return Math.floorDiv(nowMicros(), 1_000L);
  }

  private <A> A write(Decision<A> decision) {
    if (decision.write() != null) {
      put(decision.write());
    }
    return decision.answer();
  }

  final synchronized void checkOpen() {
    if (closed) {
      throw new StoreException(StoreException.Kind.CLOSED, "the model store has been closed");
    }
  }
}
