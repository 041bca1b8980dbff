package dev.onlyonce.store.jdbc.internal;

import org.jspecify.annotations.Nullable;

/**
 * What a statement saw of one key.
 *
 * @param nowMicros the database's time in the statement
 * @param floor the largest token that was forgotten
 * @param mine whether this very statement has claimed the key
 * @param isBusy whether another transaction has the key and has not ended, so that nothing was seen
 * @param row the key's row: if it was claimed as it is now, else as the statement saw it; null if
 *     the statement saw none
 */
record Look(long nowMicros, long floor, boolean mine, boolean isBusy, @Nullable Row row) {

  static final Look NOTHING = new Look(0, 0, false, false, null);
  static final Look BUSY = new Look(0, 0, false, true, null);

  Look(long nowMicros, long floor, boolean mine, @Nullable Row row) {
    this(nowMicros, floor, mine, false, row);
  }

  /** Returns this look, knowing by whose stamp what is a statement's own. */
  Look by(long stamp) {
    return new Look(nowMicros, floor, row != null && row.stamp() == stamp, row);
  }
}
