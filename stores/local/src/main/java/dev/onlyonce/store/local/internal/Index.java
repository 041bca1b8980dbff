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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 *      claimed:   place among the open claims, or all ones if it is to be read (62) | 1 | 0
 *      else:      0 | 1 | 1
 *   4  token
 *   5  position in the log / 8 (52 bits) | the lowest bits of the request id (12)
 * </pre>
 *
 * <p>Compact is a key that is done at the first attempt, without a payload's fingerprint and
 * without a result: a copy of it is answered from here. Claims that were opened since the store was
 * are kept as objects beside; all else is read from the log when it is asked for.
 */
final class Index {

  private static final int TABLES = 64;
  private static final int LONGS = 6;

  /** How many bytes an entry takes in a snapshot. */
  static final int ENTRY_BYTES = LONGS * 8;

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

  private final KeyHash secret;
  private final Reader reader;
  private final Counter counter;
  private final Map<Scope, Known> scopes = new HashMap<>();
  private final List<Scope> numbered = new ArrayList<>();
  private final KeyTable[] tables = new KeyTable[TABLES];
  private final OpenClaims claims = new OpenClaims();
  private final Changes changes = new Changes();
  private @Nullable Known recent;
  private long size;

  @SuppressWarnings("unused") // so that looking for entries has an effect
  private int touched;

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

  /** Makes room for about so many entries, so that the tables need not grow to that. */
  void reserve(long entries) {
    for (KeyTable table : tables) {
      table.reserve((int) Math.min(KeyTable.MOST, entries / TABLES));
    }
  }

  long size() {
    return size;
  }

  Hash hash(Scope scope, Key key) {
    return known(scope).hash().of(key);
  }

  /** Returns who collects the versions of a key. */
  History historyOf(Scope scope, Key key) {
    return new History(scope, known(scope).hash(), hash(scope, key));
  }

  Hash hash(LoggedRecord record) throws Malformed {
    return record.hash(known(record.scope()).hash());
  }

  private Known known(Scope scope) {
    if (recent != null && recent.scope.equals(scope)) {
      return recent;
    }
    Known known = scopes.get(scope);
    if (known == null) {
      boolean hasNumber = numbered.size() < MAX_SCOPES;
      known = new Known(scope, hasNumber ? numbered.size() : -1, secret.within(scope));
      if (hasNumber) {
        numbered.add(scope);
        scopes.put(scope, known);
      }
    }
    recent = known;
    return known;
  }

  private KeyTable table(Hash hash) {
    return tables[(int) (hash.second() >>> 58)];
  }

  /** Brings the entries with these hashes near, all at once: the memory is slower than we are. */
  void touch(Hash[] hashes) {
    int found = 0;
    for (Hash hash : hashes) {
      found += table(hash).find(hash);
    }
    touched = found;
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
    ClaimRecord open = openClaim(place.get(WHAT));
    return open == null ? reader.read(position(place)) : open;
  }

  private static long position(Place place) {
    return place.get(WHERE) >>> REQUEST_BITS << 3;
  }

  /** Tells whether a position is that of a key's current version. */
  boolean isCurrent(Hash hash, long position) {
    Place place = find(hash);
    return place.isFound() && position(place) == position;
  }

  /** Takes over a version that is written now. */
  void put(Hash hash, ClaimRecord record, long position) {
    long expiresAt = record.state().isSettled() ? record.expiresAtMillis() : Long.MAX_VALUE;
    boolean isPlain =
        record.state() == ClaimState.DONE
            && record.attempt() == 1
            && record.fingerprint() == null
            && !(record.result() instanceof Result.Value);
    long what =
        record.state() == ClaimState.CLAIMED
            ? claimed(claims.add(record))
            : isPlain
                ? compact(
                    record.scope(),
                    expiresAt - record.updatedAtMillis(),
                    record.result() instanceof Result.NotKept)
                : IS_IN_LOG;
    put(hash, expiresAt, what, record.token(), where(position, record.requestId()));
  }

  /** Takes over a version that was written before. */
  void put(Hash hash, LoggedRecord record, long position) throws Malformed {
    long expiresAt = record.expiresAtMillis();
    long what =
        record.state() == ClaimState.CLAIMED
            ? claimed(OpenClaims.NONE)
            : record.isPlain()
                ? compact(
                    record.scope(), expiresAt - record.updatedAtMillis(), record.isResultNotKept())
                : IS_IN_LOG;
    put(hash, expiresAt, what, record.token(), where(position, record.requestId()));
  }

  private static long claimed(long place) {
    return place << 2 | IS_CLAIMED;
  }

  private long compact(Scope scope, long retention, boolean isNotKept) {
    int number = retention >= 0 && retention <= MAX_RETENTION ? known(scope).number() : -1;
    return number < 0 ? IS_IN_LOG : (long) number << 48 | retention << 2 | (isNotKept ? 1 : 0);
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
      claims.remove(openPlace(table.get(slot, WHAT)));
    }
    table.set(slot, EXPIRES_AT, expiresAt);
    table.set(slot, WHAT, what);
    table.set(slot, TOKEN, token);
    table.set(slot, WHERE, where);
    counter.count(where >>> REQUEST_BITS << 3, 1);
    earliestExpiry = Math.min(earliestExpiry, expiresAt);
    earliestPassed = Math.min(earliestPassed, expiresAt);
  }

  /** Returns the place among the open claims that an entry has, or none. */
  private static long openPlace(long what) {
    return (what & KIND) == IS_CLAIMED ? what >> 2 : OpenClaims.NONE;
  }

  private @Nullable ClaimRecord openClaim(long what) {
    long place = openPlace(what);
    return place == OpenClaims.NONE ? null : claims.get(place);
  }

  private void remove(Hash hash, KeyTable table, int slot) {
    note(hash, table, slot);
    counter.count(table.get(slot, WHERE) >>> REQUEST_BITS << 3, -1);
    claims.remove(openPlace(table.get(slot, WHAT)));
    table.remove(slot);
    size--;
  }

  // Going back.

  /** From now on, changes can be undone. */
  void begin() {
    changes.begin();
  }

  /** The changes are to stay. */
  void commit() {
    changes.end();
  }

  /** Tells whether there are changes that can be undone. */
  boolean isChanging() {
    return changes.isRecording();
  }

  /** Undoes the changes since {@link #begin()}. */
  void rollback() {
    changes.undo(
        (hash, found, expiresAt, what, token, where, claim) -> {
          if (found) {
            boolean isClaimed = (what & KIND) == IS_CLAIMED;
            long before =
                isClaimed ? claimed(claim == null ? OpenClaims.NONE : claims.add(claim)) : what;
            put(hash, expiresAt, before, token, where);
          } else {
            KeyTable table = table(hash);
            int slot = table.find(hash);
            if (slot >= 0) { // else the memory had run out before it was added
              remove(hash, table, slot);
            }
          }
        });
  }

  private void note(Hash hash, KeyTable table, int slot) {
    if (!changes.isRecording()) {
      return;
    }
    if (slot < 0) {
      changes.added(hash);
    } else {
      long what = table.get(slot, WHAT);
      changes.changed(
          hash,
          table.get(slot, EXPIRES_AT),
          what,
          table.get(slot, TOKEN),
          table.get(slot, WHERE),
          openClaim(what));
    }
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
          what = claimed(OpenClaims.NONE);
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
  void load(byte[] bytes, int from, int to, int count, ScopeOf scopeOf) throws Malformed {
    if (to - from != (long) count * ENTRY_BYTES) {
      throw new Malformed("has %,d bytes of entries".formatted(to - from));
    }
    int lastNumber = -1;
    long lastScope = -1;
    for (int at = from; at < to; at += ENTRY_BYTES) {
      Hash hash = new Hash(Bytes.getLong(bytes, at), Bytes.getLong(bytes, at + 8));
      long what = Bytes.getLong(bytes, at + 24);
      long where = Bytes.getLong(bytes, at + 40);
      if ((what & KIND) == IS_CLAIMED) {
        what = claimed(OpenClaims.NONE);
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
