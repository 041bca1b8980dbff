package dev.onlyonce.internal;

import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.spi.KeyTable;
import dev.onlyonce.spi.Lapse;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One of the parts of a memory store: a hash table of claim records. Not safe for use by several
 * threads; the store locks each stripe.
 *
 * <h2>Layout</h2>
 *
 * <p>An entry of the table is six longs:
 *
 * <pre>
 *   0  first half of the key's hash
 *   1  second half
 *   2  expires at, milliseconds  CLAIMED: Long.MAX_VALUE
 *   3  compact: scope (16 bits) | retention in milliseconds (46) | 0 | result not kept (1)
 *      else:    place on the shelf (62) | 1 | 0
 *   4  token
 *   5  request id
 * </pre>
 *
 * <p>That is all there is of a key which is done at the first attempt without a payload's
 * fingerprint and without a result ("compact"). Every other record is an object on a shelf beside;
 * of its entry, only the longs 0 to 3 count.
 *
 * <p>What takes memory is done before anything is changed: a call that ends in an {@link
 * OutOfMemoryError} leaves the stripe as it was. Nobody may be told that a key is done because the
 * memory ran out in the middle of claiming it.
 */
final class MemoryStripe {

  private static final int LONGS = 6;
  private static final int EXPIRES_AT = 2;
  private static final int WHAT = 3;
  private static final int TOKEN = 4;
  private static final int REQUEST_ID = 5;
  private static final int ON_SHELF = 2;
  private static final long MAX_RETENTION = (1L << 46) - 1;

  private final MemoryScopes scopes;
  private final KeyTable table = new KeyTable(LONGS);
  private final MemoryShelf shelf = new MemoryShelf();
  private long floor;
  private long earliestExpiry = Long.MAX_VALUE;
  private int purgeAt;
  private long earliestPassed = Long.MAX_VALUE;

  MemoryStripe(MemoryScopes scopes) {
    this.scopes = scopes;
  }

  /** Returns the largest token that was ever forgotten here. */
  long floor() {
    return floor;
  }

  /** Returns the slots in use and free, for walking over all of them. */
  int slots() {
    return table.slots();
  }

  boolean hasRoom() {
    return table.hasRoom();
  }

  /** Returns the slot of the entry with that hash, -1 if there is none. */
  int find(Hash hash) {
    return table.find(hash);
  }

  /** Tells whether a record is compact: DONE, with nothing that a duplicate would be told. */
  boolean isCompact(int slot) {
    return (table.get(slot, WHAT) & ON_SHELF) == 0;
  }

  long expiresAt(int slot) {
    return table.get(slot, EXPIRES_AT);
  }

  long requestId(int slot) {
    return table.get(slot, REQUEST_ID);
  }

  /** Returns when a compact record was completed. */
  long completedAt(int slot) {
    return expiresAt(slot) - (table.get(slot, WHAT) >>> 2 & MAX_RETENTION);
  }

  Result compactResult(int slot) {
    return (table.get(slot, WHAT) & 1) == 0 ? Result.NONE : Result.NOT_KEPT;
  }

  /** Returns the record in a slot, null if the slot is free; a compact one is without its key. */
  @Nullable ClaimRecord record(int slot) {
    if (table.isFree(slot)) {
      return null;
    }
    if (!isCompact(slot)) {
      return shelf.get(place(slot));
    }
    return new ClaimRecord(
        scopes.get((int) (table.get(slot, WHAT) >>> 48)),
        null,
        ClaimState.DONE,
        table.get(slot, TOKEN),
        requestId(slot),
        1,
        0,
        0,
        expiresAt(slot),
        Lapse.TAKE,
        null,
        compactResult(slot),
        null,
        "",
        completedAt(slot),
        completedAt(slot));
  }

  private int place(int slot) {
    return (int) (table.get(slot, WHAT) >>> 2);
  }

  /** Adds a record for a hash that has none. */
  void add(Hash hash, ClaimRecord record) {
    int scope = compactScope(record);
    if (scope >= 0) {
      writeCompact(table.add(hash), record, scope);
      return;
    }
    int place = shelf.put(record);
    int slot;
    try {
      slot = table.add(hash);
    } catch (OutOfMemoryError e) {
      shelf.clear(place);
      throw e;
    }
    writeShelved(slot, record, place);
  }

  /** Writes the new version of the record in a slot. */
  void replace(int slot, ClaimRecord record) {
    int scope = compactScope(record);
    if (scope < 0 && isCompact(slot)) {
      writeShelved(slot, record, shelf.put(record));
    } else if (scope < 0) {
      int place = place(slot);
      shelf.replace(place, record);
      writeShelved(slot, record, place);
    } else {
      unshelve(slot);
      writeCompact(slot, record, scope);
    }
  }

  private void writeShelved(int slot, ClaimRecord record, int place) {
    long expiresAt = record.state().isSettled() ? record.expiresAtMillis() : Long.MAX_VALUE;
    table.set(slot, WHAT, (long) place << 2 | ON_SHELF);
    expires(slot, expiresAt);
  }

  private void writeCompact(int slot, ClaimRecord record, int scope) {
    long retention = record.expiresAtMillis() - record.updatedAtMillis();
    int notKept = record.result() instanceof Result.None ? 0 : 1;
    table.set(slot, WHAT, (long) scope << 48 | retention << 2 | notKept);
    table.set(slot, TOKEN, record.token());
    table.set(slot, REQUEST_ID, record.requestId());
    expires(slot, record.expiresAtMillis());
  }

  private void expires(int slot, long expiresAt) {
    earliestExpiry = Math.min(earliestExpiry, expiresAt);
    earliestPassed = Math.min(earliestPassed, expiresAt);
    table.set(slot, EXPIRES_AT, expiresAt);
  }

  private void unshelve(int slot) {
    if (!isCompact(slot)) {
      shelf.clear(place(slot));
    }
  }

  /** Returns the number of the record's scope if the record can be compact, else -1. */
  private int compactScope(ClaimRecord record) {
    long retention = record.expiresAtMillis() - record.updatedAtMillis();
    boolean compact =
        record.state() == ClaimState.DONE
            && record.attempt() == 1
            && record.fingerprint() == null
            && !(record.result() instanceof Result.Value)
            && retention >= 0
            && retention <= MAX_RETENTION;
    int scope = compact ? scopes.of(record.scope()).number() : -1;
    return scope < MemoryScopes.MOST ? scope : -1;
  }

  /**
   * Forgets records whose expiry is at or before this time, and raises the floor to the largest of
   * their tokens. It goes on where the last call came to its limit.
   *
   * @return how many; fewer than the limit only if there are no more
   */
  int purge(long expiredBy, int limit) {
    int purged = 0;
    // The second round is for what has become due since the first one passed it.
    while (earliestExpiry <= expiredBy) {
      for (; purgeAt < table.slots(); purgeAt++) {
        long expiresAt = expiresAt(purgeAt);
        boolean isDue = expiresAt <= expiredBy && expiresAt != Long.MAX_VALUE;
        if (table.isFree(purgeAt)) {
          continue;
        }
        if (!isDue) {
          earliestPassed = Math.min(earliestPassed, expiresAt);
        } else if (purged < limit) {
          remove(purgeAt);
          purged++;
        } else {
          return purged;
        }
      }
      earliestExpiry = earliestPassed;
      earliestPassed = Long.MAX_VALUE;
      purgeAt = 0;
    }
    return purged;
  }

  /** Shows each record to a visitor; compact ones are without their key. */
  void forEach(Consumer<ClaimRecord> visitor) {
    for (int slot = 0; slot < table.slots(); slot++) {
      ClaimRecord record = record(slot);
      if (record != null) {
        visitor.accept(record);
      }
    }
  }

  private void remove(int slot) {
    floor =
        Math.max(floor, isCompact(slot) ? table.get(slot, TOKEN) : shelf.get(place(slot)).token());
    unshelve(slot);
    table.remove(slot);
  }
}
