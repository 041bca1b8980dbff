package dev.onlyonce.store.local.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.KeyHash;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.spi.KeyTable;
import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where the current version of every key's record stands in the log, and as much of it as the
 * commonest answer takes. Not safe for use by several threads at once.
 *
 * <h2>Layout</h2>
 *
 * <p>An entry of the tables is six longs:
 *
 * <pre>
 *   0  first half of the key's hash
 *   1  second half
 *   2  expires at, milliseconds        not settled: Long.MAX_VALUE
 *   3  compact:   scope (16 bits) | retention in milliseconds (46) | 0 | result not kept (1)
 *      claimed:   place among the open claims (62) | 1 | 0
 *      else:      0 | 1 | 1
 *   4  token
 *   5  position in the log / 8 (52 bits) | the lowest bits of the request id (12)
 * </pre>
 *
 * <p>Compact is a key that is done at the first attempt, without a payload's fingerprint and
 * without a result: a copy of it is answered from here. Open claims are kept as objects beside; all
 * else is read from the log when it is asked for.
 */
final class Index {

  private static final int TABLES = 64;
  private static final int LONGS = 6;
  private static final int EXPIRES_AT = 2;
  private static final int WHAT = 3;
  private static final int TOKEN = 4;
  private static final int WHERE = 5;
  private static final int KIND = 3;
  private static final int IS_CLAIMED = 2;
  private static final int IS_IN_LOG = 3;
  private static final int REQUEST_BITS = 12;
  private static final long MAX_RETENTION = (1L << 46) - 1;
  private static final int MAX_SCOPES = 1 << 16;

  /** Reads a record from the log. */
  interface Reader {
    ClaimRecord read(long position) throws IOException;
  }

  /** Is told when a position becomes that of a key's current version, and when it is no more. */
  interface Counter {
    void count(long position, int change);
  }

  /** The entry of a key: its table and slot, or none. */
  record Place(KeyTable table, int slot) {
    boolean isFound() {
      return slot >= 0;
    }

    private long get(int field) {
      return table.get(slot, field);
    }
  }

  private record Known(Scope scope, int number, KeyHash hash) {}

  /** How an entry was before it was changed. */
  private record Before(
      Hash hash,
      boolean found,
      long expiresAt,
      long what,
      long token,
      long where,
      @Nullable ClaimRecord claimed) {}

  private final KeyHash secret;
  private final Reader reader;
  private final Counter counter;
  private final Map<Scope, Known> scopes = new HashMap<>();
  private final List<Scope> numbered = new ArrayList<>();
  private final KeyTable[] tables = new KeyTable[TABLES];
  private final List<@Nullable ClaimRecord> claims = new ArrayList<>();
  private final Deque<Integer> vacant = new ArrayDeque<>();
  private @Nullable List<Before> changes;
  private long size;
  private long earliestExpiry = Long.MAX_VALUE;
  private long earliestPassed = Long.MAX_VALUE;
  private long forgetAt;

  Index(KeyHash secret, Reader reader, Counter counter) {
    this.secret = secret;
    this.reader = reader;
    this.counter = counter;
    for (int i = 0; i < TABLES; i++) {
      tables[i] = new KeyTable(LONGS);
    }
  }

  long size() {
    return size;
  }

  Hash hash(Scope scope, Key key) {
    return known(scope).hash().of(key);
  }

  private Known known(Scope scope) {
    Known known = scopes.get(scope);
    if (known == null) {
      boolean hasNumber = numbered.size() < MAX_SCOPES;
      known = new Known(scope, hasNumber ? numbered.size() : -1, secret.within(scope));
      if (hasNumber) {
        numbered.add(scope);
        scopes.put(scope, known);
      }
    }
    return known;
  }

  private KeyTable table(Hash hash) {
    return tables[(int) (hash.second() >>> 58)];
  }

  Place find(Hash hash) {
    KeyTable table = table(hash);
    return new Place(table, table.find(hash));
  }

  /**
   * Returns how long ago a key was completed if this is all that is to be said, else -1.
   *
   * @param mayBeRepeated whether a request with the same id is answered differently
   */
  long plainAge(Place place, boolean mayBeRepeated, long requestId, long nowMillis) {
    long what = place.get(WHAT);
    if ((what & IS_CLAIMED) != 0
        || nowMillis >= place.get(EXPIRES_AT)
        || (mayBeRepeated && requestBits(requestId) == requestBits(place.get(WHERE)))) {
      return -1;
    }
    return Math.max(0, nowMillis - (place.get(EXPIRES_AT) - (what >>> 2 & MAX_RETENTION)));
  }

  Result plainResult(Place place) {
    return (place.get(WHAT) & 1) == 0 ? Result.NONE : Result.NOT_KEPT;
  }

  private static long requestBits(long requestId) {
    return requestId & (1L << REQUEST_BITS) - 1;
  }

  /** Returns the whole record. */
  ClaimRecord record(Place place) throws IOException {
    if ((place.get(WHAT) & KIND) == IS_CLAIMED) {
      return Objects.requireNonNull(claims.get((int) (place.get(WHAT) >>> 2)));
    }
    return reader.read(position(place));
  }

  private static long position(Place place) {
    return place.get(WHERE) >>> REQUEST_BITS << 3;
  }

  /** Tells whether a position is that of a key's current version. */
  boolean isCurrent(Hash hash, long position) {
    Place place = find(hash);
    return place.isFound() && position(place) == position;
  }

  /** Writes a new version. */
  void put(Hash hash, ClaimRecord record, long position) {
    long expiresAt = record.state().isSettled() ? record.expiresAtMillis() : Long.MAX_VALUE;
    long what;
    if (record.state() == ClaimState.CLAIMED) {
      what = (long) open(record) << 2 | IS_CLAIMED;
    } else {
      what = compact(record);
    }
    put(hash, expiresAt, what, record.token(), where(position, record.requestId()));
  }

  private static long where(long position, long requestId) {
    return position >>> 3 << REQUEST_BITS | requestBits(requestId);
  }

  /** Writes the longs of an entry as they are. */
  private void put(Hash hash, long expiresAt, long what, long token, long where) {
    KeyTable table = table(hash);
    int slot = table.find(hash);
    note(hash, table, slot);
    if (slot < 0) {
      slot = table.add(hash);
      size++;
    } else {
      counter.count(table.get(slot, WHERE) >>> REQUEST_BITS << 3, -1);
      closeClaim(table.get(slot, WHAT));
    }
    table.set(slot, EXPIRES_AT, expiresAt);
    table.set(slot, WHAT, what);
    table.set(slot, TOKEN, token);
    table.set(slot, WHERE, where);
    counter.count(where >>> REQUEST_BITS << 3, 1);
    earliestExpiry = Math.min(earliestExpiry, expiresAt);
    earliestPassed = Math.min(earliestPassed, expiresAt);
  }

  private int open(ClaimRecord record) {
    Integer place = vacant.poll();
    if (place == null) {
      claims.add(record);
      return claims.size() - 1;
    }
    claims.set(place, record);
    return place;
  }

  private void closeClaim(long what) {
    if ((what & KIND) == IS_CLAIMED) {
      int place = (int) (what >>> 2);
      claims.set(place, null);
      vacant.push(place);
    }
  }

  private long compact(ClaimRecord record) {
    long retention = record.expiresAtMillis() - record.updatedAtMillis();
    boolean compact =
        record.state() == ClaimState.DONE
            && record.attempt() == 1
            && record.fingerprint() == null
            && !(record.result() instanceof Result.Value)
            && retention >= 0
            && retention <= MAX_RETENTION;
    int scope = compact ? known(record.scope()).number() : -1;
    int notKept = record.result() instanceof Result.None ? 0 : 1;
    return scope < 0 ? IS_IN_LOG : (long) scope << 48 | retention << 2 | notKept;
  }

  private void remove(Hash hash, KeyTable table, int slot) {
    note(hash, table, slot);
    counter.count(table.get(slot, WHERE) >>> REQUEST_BITS << 3, -1);
    closeClaim(table.get(slot, WHAT));
    table.remove(slot);
    size--;
  }

  // Going back.

  /** From now on, changes can be undone. */
  void begin() {
    changes = new ArrayList<>();
  }

  /** The changes are to stay. */
  void commit() {
    changes = null;
  }

  /** Tells whether there are changes that can be undone. */
  boolean isChanging() {
    return changes != null;
  }

  /** Undoes the changes since {@link #begin()}. */
  void rollback() {
    List<Before> undone = Objects.requireNonNull(changes);
    changes = null;
    for (int i = undone.size() - 1; i >= 0; i--) {
      Before before = undone.get(i);
      if (before.found) {
        long what =
            before.claimed == null ? before.what : (long) open(before.claimed) << 2 | IS_CLAIMED;
        put(before.hash, before.expiresAt, what, before.token, before.where);
      } else {
        KeyTable table = table(before.hash);
        int slot = table.find(before.hash);
        if (slot >= 0) { // else the memory had run out before it was added
          remove(before.hash, table, slot);
        }
      }
    }
  }

  private void note(Hash hash, KeyTable table, int slot) {
    if (changes == null) {
      return;
    }
    if (slot < 0) {
      changes.add(new Before(hash, false, 0, 0, 0, 0, null));
      return;
    }
    long what = table.get(slot, WHAT);
    changes.add(
        new Before(
            hash,
            true,
            table.get(slot, EXPIRES_AT),
            what,
            table.get(slot, TOKEN),
            table.get(slot, WHERE),
            (what & KIND) == IS_CLAIMED ? claims.get((int) (what >>> 2)) : null));
  }

  // Forgetting.

  /**
   * Forgets keys whose expiry is at or before this time. It goes on where the last call came to its
   * limit, so that many small calls walk over the keys once.
   */
  Forgotten forget(long expiredBy, int limit) {
    int count = 0;
    long token = 0;
    // The second round is for what has become due since the first one passed it.
    while (earliestExpiry <= expiredBy) {
      for (; forgetAt < (long) TABLES << 24; forgetAt = ((forgetAt >>> 24) + 1) << 24) {
        KeyTable table = tables[(int) (forgetAt >>> 24)];
        for (int slot = (int) forgetAt & 0xFF_FFFF; slot < table.slots(); slot++, forgetAt++) {
          if (table.isFree(slot)) {
            continue;
          }
          long expiresAt = table.get(slot, EXPIRES_AT);
          if (expiresAt > expiredBy || expiresAt == Long.MAX_VALUE) {
            earliestPassed = Math.min(earliestPassed, expiresAt);
          } else if (count < limit) {
            token = Math.max(token, table.get(slot, TOKEN));
            remove(new Hash(table.get(slot, 0), table.get(slot, 1)), table, slot);
            count++;
          } else {
            return new Forgotten(count, token);
          }
        }
      }
      earliestExpiry = earliestPassed;
      earliestPassed = Long.MAX_VALUE;
      forgetAt = 0;
    }
    return new Forgotten(count, token);
  }

  /** How many keys were forgotten, and the largest of their tokens. */
  record Forgotten(int count, long largestToken) {}

  // Snapshots.

  /** Adds all entries, as six longs each, with other numbers for the scopes. */
  void export(Bytes out, ToIntFunction<Scope> numbers) {
    for (KeyTable table : tables) {
      for (int slot = 0; slot < table.slots(); slot++) {
        if (table.isFree(slot)) {
          continue;
        }
        long what = table.get(slot, WHAT);
        if ((what & KIND) == IS_CLAIMED) {
          what = IS_CLAIMED;
        } else if ((what & IS_CLAIMED) == 0) {
          Scope scope = numbered.get((int) (what >>> 48));
          int number = numbers.applyAsInt(scope);
          what = number < MAX_SCOPES ? (long) number << 48 | what << 16 >>> 16 : IS_IN_LOG;
        }
        out.putLong(table.get(slot, 0)).putLong(table.get(slot, 1));
        out.putLong(table.get(slot, EXPIRES_AT)).putLong(what);
        out.putLong(table.get(slot, TOKEN)).putLong(table.get(slot, WHERE));
      }
    }
  }

  /** Says which scope has a number. */
  interface ScopeOf {
    Scope of(int number) throws Malformed;
  }

  /** Takes over entries that were exported. */
  void load(byte[] bytes, int from, int count, ScopeOf scopeOf) throws IOException, Malformed {
    if (bytes.length - from != (long) count * LONGS * 8) {
      throw new Malformed("has %,d bytes of entries".formatted(bytes.length - from));
    }
    int lastNumber = -1;
    long lastScope = -1;
    for (int at = from; at < bytes.length; at += LONGS * 8) {
      Hash hash = new Hash(Bytes.getLong(bytes, at), Bytes.getLong(bytes, at + 8));
      long what = Bytes.getLong(bytes, at + 24);
      long where = Bytes.getLong(bytes, at + 40);
      if ((what & KIND) == IS_CLAIMED) {
        put(hash, reader.read(where >>> REQUEST_BITS << 3), where >>> REQUEST_BITS << 3);
        continue;
      }
      if ((what & IS_CLAIMED) == 0) {
        int number = (int) (what >>> 48);
        if (number != lastNumber) {
          lastNumber = number;
          lastScope = known(scopeOf.of(number)).number();
        }
        what = lastScope < 0 ? IS_IN_LOG : lastScope << 48 | what << 16 >>> 16;
      }
      put(hash, Bytes.getLong(bytes, at + 16), what, Bytes.getLong(bytes, at + 32), where);
    }
  }

  // Walking.

  /** Where a walk over all entries goes on: the number of a slot, as if all stood in one row. */
  interface Visit {
    /** Returns whether to go on. */
    boolean entry(Place place, long next) throws IOException;
  }

  /** Shows the entries from a place on, until the visitor has enough; returns whether it had. */
  boolean walk(long from, Visit visit) throws IOException {
    for (int t = (int) (from >>> 24); t < TABLES; t++) {
      KeyTable table = tables[t];
      int first = t == (int) (from >>> 24) ? (int) from & 0xFF_FFFF : 0;
      for (int slot = first; slot < table.slots(); slot++) {
        if (!table.isFree(slot)
            && !visit.entry(new Place(table, slot), ((long) t << 24) | (slot + 1))) {
          return true;
        }
      }
    }
    return false;
  }

  long expiresAt(Place place) {
    return place.get(EXPIRES_AT);
  }

  boolean isCompact(Place place) {
    return (place.get(WHAT) & IS_CLAIMED) == 0;
  }

  boolean isClaimed(Place place) {
    return (place.get(WHAT) & KIND) == IS_CLAIMED;
  }
}
