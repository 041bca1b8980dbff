package dev.onlyonce.internal;

import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.spi.Lapse;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One of the parts of a memory store: a hash table of claim records. Not safe for use by several
 * threads; the store locks each stripe.
 *
 * <h2>Layout</h2>
 *
 * <p>An entry is six longs in a page of {@value #PAGE} entries:
 *
 * <pre>
 *   0  first half of the key's hash
 *   1  second half
 *   2  expires at, milliseconds  CLAIMED: Long.MAX_VALUE; free: Long.MIN_VALUE
 *   3  compact: scope (16 bits) | retention in milliseconds (46) | 0 | result not kept (1)
 *      else:    place on the shelf (62) | 1 | 0
 *   4  token                     free: the next free slot + 1
 *   5  request id
 * </pre>
 *
 * <p>That is all there is of a key which is done at the first attempt without a payload's
 * fingerprint and without a result ("compact"). Every other record is an object on a shelf beside;
 * of its entry, only the longs 0 to 3 count.
 *
 * <p>The index is an open-addressing table with linear probing; a position holds 0 or eight bits of
 * the hash and a slot + 1. Removal shifts what follows back, so there are no tombstones.
 */
final class MemoryStripe {

  static final int PAGE = 256;
  private static final int LONGS = 6;
  private static final int EXPIRES_AT = 2;
  private static final int WHAT = 3;
  private static final int TOKEN = 4;
  private static final int REQUEST_ID = 5;
  private static final int ON_SHELF = 2;
  private static final int SLOT_MASK = 0xFF_FFFF;
  private static final int MAX_SLOTS = SLOT_MASK - 1;
  private static final long MAX_RETENTION = (1L << 46) - 1;

  private final MemoryScopes scopes;
  private int[] index = new int[64];
  private long[][] pages = new long[4][];
  private final MemoryShelf shelf = new MemoryShelf();
  private int used;
  private int free;
  private int size;
  private long floor;
  private long earliestExpiry = Long.MAX_VALUE;
  private int purgeAt;
  private long earliestPassed = Long.MAX_VALUE;

  MemoryStripe(MemoryScopes scopes) {
    this.scopes = scopes;
  }

  int size() {
    return size;
  }

  /** Returns the largest token that was ever forgotten here. */
  long floor() {
    return floor;
  }

  /** Returns the slots in use and free, for walking over all of them. */
  int slots() {
    return used;
  }

  boolean hasRoom() {
    return free != 0 || used < MAX_SLOTS;
  }

  /** Returns the slot of the entry with that hash, -1 if there is none. */
  int find(Hash hash) {
    int mask = index.length - 1;
    int tag = (int) (hash.first() >>> 56) << 24;
    for (int at = (int) hash.first() & mask; index[at] != 0; at = at + 1 & mask) {
      if ((index[at] & ~SLOT_MASK) == tag) {
        int slot = (index[at] & SLOT_MASK) - 1;
        long[] page = pages[slot / PAGE];
        int entry = slot % PAGE * LONGS;
        if (page[entry] == hash.first() && page[entry + 1] == hash.second()) {
          return slot;
        }
      }
    }
    return -1;
  }

  /** Tells whether a record is compact: DONE, with nothing that a duplicate would be told. */
  boolean isCompact(int slot) {
    return (read(slot, WHAT) & ON_SHELF) == 0;
  }

  long expiresAt(int slot) {
    return read(slot, EXPIRES_AT);
  }

  long requestId(int slot) {
    return read(slot, REQUEST_ID);
  }

  /** Returns when a compact record was completed. */
  long completedAt(int slot) {
    return expiresAt(slot) - (read(slot, WHAT) >>> 2 & MAX_RETENTION);
  }

  Result compactResult(int slot) {
    return (read(slot, WHAT) & 1) == 0 ? Result.NONE : Result.NOT_KEPT;
  }

  private long read(int slot, int field) {
    return pages[slot / PAGE][slot % PAGE * LONGS + field];
  }

  private void write(int slot, int field, long value) {
    pages[slot / PAGE][slot % PAGE * LONGS + field] = value;
  }

  /** Returns the record in a slot, null if the slot is free; a compact one is without its key. */
  @Nullable ClaimRecord record(int slot) {
    if (isFree(slot)) {
      return null;
    }
    if (!isCompact(slot)) {
      return shelf.get(place(slot));
    }
    return new ClaimRecord(
        scopes.get((int) (read(slot, WHAT) >>> 48)),
        null,
        ClaimState.DONE,
        read(slot, TOKEN),
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
    return (int) (read(slot, WHAT) >>> 2);
  }

  private boolean isFree(int slot) {
    return expiresAt(slot) == Long.MIN_VALUE;
  }

  /** Adds a record for a hash that has none. */
  void add(Hash hash, ClaimRecord record) {
    if ((size + 1) * 4L > index.length * 3L) {
      growIndex();
    }
    int slot = takeSlot();
    write(slot, 0, hash.first());
    write(slot, 1, hash.second());
    write(slot, WHAT, 0);
    addToIndex(hash.first(), slot);
    size++;
    replace(slot, record);
  }

  /** Writes the new version of the record in a slot. */
  void replace(int slot, ClaimRecord record) {
    long expiresAt = record.state().isSettled() ? record.expiresAtMillis() : Long.MAX_VALUE;
    earliestExpiry = Math.min(earliestExpiry, expiresAt);
    earliestPassed = Math.min(earliestPassed, expiresAt);
    write(slot, EXPIRES_AT, expiresAt);
    int scope = compactScope(record);
    if (scope < 0) {
      shelve(slot, record);
      return;
    }
    unshelve(slot);
    long retention = record.expiresAtMillis() - record.updatedAtMillis();
    int notKept = record.result() instanceof Result.None ? 0 : 1;
    write(slot, WHAT, (long) scope << 48 | retention << 2 | notKept);
    write(slot, TOKEN, record.token());
    write(slot, REQUEST_ID, record.requestId());
  }

  private void shelve(int slot, ClaimRecord record) {
    if (isCompact(slot)) {
      write(slot, WHAT, (long) shelf.put(record) << 2 | ON_SHELF);
    } else {
      shelf.replace(place(slot), record);
    }
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
      for (; purgeAt < used; purgeAt++) {
        long expiresAt = expiresAt(purgeAt);
        boolean isDue = expiresAt <= expiredBy && expiresAt != Long.MAX_VALUE;
        if (isFree(purgeAt)) {
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
    for (int slot = 0; slot < used; slot++) {
      ClaimRecord record = record(slot);
      if (record != null) {
        visitor.accept(record);
      }
    }
  }

  private void remove(int slot) {
    floor = Math.max(floor, isCompact(slot) ? read(slot, TOKEN) : shelf.get(place(slot)).token());
    removeFromIndex(slot);
    unshelve(slot);
    write(slot, TOKEN, free);
    write(slot, EXPIRES_AT, Long.MIN_VALUE);
    free = slot + 1;
    size--;
  }

  private int takeSlot() {
    if (free != 0) {
      int slot = free - 1;
      free = (int) read(slot, TOKEN);
      return slot;
    }
    int slot = used++;
    int page = slot / PAGE;
    if (slot % PAGE == 0) {
      if (page == pages.length) {
        pages = Arrays.copyOf(pages, page * 2);
      }
      pages[page] = new long[PAGE * LONGS];
    }
    return slot;
  }

  private void addToIndex(long first, int slot) {
    int mask = index.length - 1;
    int at = (int) first & mask;
    while (index[at] != 0) {
      at = at + 1 & mask;
    }
    index[at] = (int) (first >>> 56) << 24 | slot + 1;
  }

  private void growIndex() {
    index = new int[index.length * 2];
    for (int slot = 0; slot < used; slot++) {
      if (!isFree(slot)) {
        addToIndex(read(slot, 0), slot);
      }
    }
  }

  private void removeFromIndex(int slot) {
    int mask = index.length - 1;
    int hole = home(slot);
    while ((index[hole] & SLOT_MASK) != slot + 1) {
      hole = hole + 1 & mask;
    }
    for (int at = hole + 1 & mask; index[at] != 0; at = at + 1 & mask) {
      int distance = at - home((index[at] & SLOT_MASK) - 1) & mask;
      if (distance >= (at - hole & mask)) {
        index[hole] = index[at];
        hole = at;
      }
    }
    index[hole] = 0;
  }

  private int home(int slot) {
    return (int) read(slot, 0) & index.length - 1;
  }
}
