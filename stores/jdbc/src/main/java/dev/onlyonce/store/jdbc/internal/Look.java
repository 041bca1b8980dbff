package dev.onlyonce.store.jdbc.internal;

import org.jspecify.annotations.Nullable;

/**
 * What a statement saw of one key.
 *
 * @param nowMicros the database's time in the statement
 * @param floor the largest token that was forgotten
 * @param grant what this very statement has claimed; null if it has not
 * @param isBusy whether another transaction has the key, or its row, and has not ended
 * @param row the key's row as the statement saw it; null if it saw none, or has claimed the key
 */
record Look(long nowMicros, long floor, @Nullable Grant grant, boolean isBusy, @Nullable Row row) {

  static final Look NOTHING = new Look(0, 0, null, false, null);
  static final Look BUSY = new Look(0, 0, null, true, null);

  /** A claim that was made. */
  record Grant(long token, int attempt, byte @Nullable [] checkpoint) {
    static Look look(long token, int attempt, byte @Nullable [] checkpoint) {
      return new Look(0, 0, new Grant(token, attempt, checkpoint), false, null);
    }
  }

  Look(long nowMicros, long floor, @Nullable Row row) {
    this(nowMicros, floor, null, false, row);
  }

  /** Returns this look, of a key that is busy unless this very statement has claimed it. */
  Look orBusy() {
    return grant == null ? new Look(nowMicros, floor, null, true, row) : this;
  }

  /** Returns this look; if the row has this statement's stamp, it is what it has claimed. */
  Look by(long stamp) {
    return row == null || row.stamp() != stamp
        ? this
        : Grant.look(row.record().token(), row.record().attempt(), row.checkpoint());
  }
}
