package dev.onlyonce.spi;

import dev.onlyonce.spi.KeyHash.Hash;
import java.util.Arrays;

/**
 * A hash table from {@link KeyHash hashes} of keys to entries of a few longs: what a store that
 * keeps its records, or where they are, in this process's memory needs for each key. For the stores
 * of this project: it may change with them.
 *
 * <p>An entry has a slot, a number that stays the same until the entry is removed. Its longs 0 and
 * 1 are the hash, the others are the store's, except that long 2 must never be {@link
 * Long#MIN_VALUE}: that marks a free slot.
 *
 * <p>A call that ends in an {@link OutOfMemoryError} has changed nothing.
 *
 * <p>Not safe for use by several threads at once. Holds up to {@value #MOST} entries, each in the
 * bytes of its longs and 5 to 11 bytes of index.
 *
 * <h2>Layout</h2>
 *
 * <p>Entries stand in pages of {@value #PAGE}. The index is an open-addressing table with linear
 * probing; a position holds 0, or eight bits of the hash and a slot + 1. Removal shifts what
 * follows back, so there are no tombstones.
 */
public final class KeyTable {

  /** How many entries a table holds at the most. */
  public static final int MOST = (1 << 24) - 2;

  private static final int PAGE = 256;
  private static final int MARK = 2;
  private static final int NEXT_FREE = 3;
  private static final int SLOT_MASK = 0xFF_FFFF;

  private final int longs;
  private int[] index = new int[64];
  private long[][] pages = new long[4][];
  private int used;
  private int free;
  private int size;

  /**
   * Makes an empty table.
   *
   * @param longs how many an entry has, from 4
   */
  public KeyTable(int longs) {
    if (longs < 4) {
      throw new IllegalArgumentException("an entry must have at least 4 longs, was " + longs);
    }
    this.longs = longs;
  }

  /** Returns how many entries there are. */
  public int size() {
    return size;
  }

  /** Makes the index large enough for so many entries, so that it need not grow to that. */
  public void reserve(int entries) {
    while (entries * 4L > index.length * 3L) {
      growIndex();
    }
  }

  /** Returns how many slots were ever used, for walking over all of them. */
  public int slots() {
    return used;
  }

  /** Tells whether another entry can be added. */
  public boolean hasRoom() {
    return free != 0 || used < MOST;
  }

  /** Tells whether there is no entry in this slot. */
  public boolean isFree(int slot) {
    return get(slot, MARK) == Long.MIN_VALUE;
  }

  /** Returns a long of an entry. */
  public long get(int slot, int field) {
    return pages[slot / PAGE][slot % PAGE * longs + field];
  }

  /** Changes a long of an entry, other than the hash. */
  public void set(int slot, int field, long value) {
    pages[slot / PAGE][slot % PAGE * longs + field] = value;
  }

  /** Returns the slot of the entry with that hash, -1 if there is none. */
  public int find(Hash hash) {
    int mask = index.length - 1;
    int tag = (int) (hash.first() >>> 56) << 24;
    for (int at = (int) hash.first() & mask; index[at] != 0; at = at + 1 & mask) {
      if ((index[at] & ~SLOT_MASK) == tag) {
        int slot = (index[at] & SLOT_MASK) - 1;
        long[] page = pages[slot / PAGE];
        int entry = slot % PAGE * longs;
        if (page[entry] == hash.first() && page[entry + 1] == hash.second()) {
          return slot;
        }
      }
    }
    return -1;
  }

  /** Adds an entry for a hash that has none; its longs other than the hash are zero. */
  public int add(Hash hash) {
    if ((size + 1) * 4L > index.length * 3L) {
      growIndex();
    }
    int slot = takeSlot();
    long[] page = pages[slot / PAGE];
    int entry = slot % PAGE * longs;
    Arrays.fill(page, entry, entry + longs, 0);
    page[entry] = hash.first();
    page[entry + 1] = hash.second();
    addToIndex(hash.first(), slot);
    size++;
    return slot;
  }

  /** Removes an entry, without taking memory; its slot will be used again. */
  public void remove(int slot) {
    removeFromIndex(slot);
    set(slot, NEXT_FREE, free);
    set(slot, MARK, Long.MIN_VALUE);
    free = slot + 1;
    size--;
  }

  private int takeSlot() {
    if (free != 0) {
      int slot = free - 1;
      free = (int) get(slot, NEXT_FREE);
      return slot;
    }
    int page = used / PAGE;
    if (used % PAGE == 0) {
      if (page == pages.length) {
        pages = Arrays.copyOf(pages, page * 2);
      }
      pages[page] = new long[PAGE * longs];
    }
    return used++;
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
        addToIndex(get(slot, 0), slot);
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
    return (int) get(slot, 0) & index.length - 1;
  }
}
