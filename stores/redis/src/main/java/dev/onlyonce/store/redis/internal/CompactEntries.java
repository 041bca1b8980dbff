package dev.onlyonce.store.redis.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a bucket, which begins with the hour before which none of them ends; each is of 11
 * bytes of the record's field, its attempts (3 bits), its token (53 bits), and how many hours after
 * that of its token it ends (2 bytes, all bits set for never).
 */
final class CompactEntries {

  static final int SIZE = 20;

  private static final int HEAD = 4;
  private static final int TAIL = 11;
  private static final int TOKEN_BITS = 53;
  private static final int NEVER = 0xFFFF;
  private static final long MICROS_OF_HOUR = TimeUnit.HOURS.toMicros(1);
  private static final long MILLIS_OF_HOUR = TimeUnit.HOURS.toMillis(1);

  private CompactEntries() {}

  /** An entry: the end of its record's field, and the record. */
  record Entry(byte[] tail, ClaimRecord record) {}

  /** Reads the entries of a bucket that have not ended. */
  static List<Entry> read(byte[] bucket, long nowMillis) {
    List<Entry> entries = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(bucket).position(HEAD);
    while (bytes.hasRemaining()) {
      byte[] entry = new byte[SIZE];
      bytes.get(entry);
      ClaimRecord record = read(entry, ScopeNames.UNNUMBERED, null, nowMillis);
      if (record != null) {
        entries.add(new Entry(Arrays.copyOf(entry, TAIL), record));
      }
    }
    return entries;
  }

  /**
   * Reads an entry; null if it has ended. The record seems to expire at the earliest time that is
   * possible, up to an hour before it does: so no copy of it lives longer than it had to.
   */
  static @Nullable ClaimRecord read(byte[] entry, Scope scope, @Nullable Key key, long nowMillis) {
    ByteBuffer bytes = ByteBuffer.wrap(entry);
    long numbers = bytes.getLong(TAIL) >>> 8;
    long token = numbers & Packed.MAX_TOKEN;
    int hours = bytes.getShort(SIZE - Short.BYTES) & NEVER;
    long ends = hours == NEVER ? Long.MAX_VALUE : (token / MICROS_OF_HOUR + hours) * MILLIS_OF_HOUR;
    if (nowMillis >= ends) {
      return null;
    }
    long changed = token / 1_000;
    return new ClaimRecord(
        scope,
        key,
        ClaimState.DONE,
        token,
        bytes.getLong(),
        (int) (numbers >>> TOKEN_BITS),
        0,
        0,
        hours == NEVER ? ends : ends - MILLIS_OF_HOUR + 1,
        Lapse.TAKE,
        null,
        Result.NONE,
        null,
        "",
        ClaimRecord.UNKNOWN_TIME,
        changed);
  }
}
