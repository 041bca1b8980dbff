package dev.onlyonce.store.local.internal;

import dev.onlyonce.spi.ClaimRecord;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The records of open claims, each at a place. Not safe for use by several threads at once. */
final class OpenClaims {

  /** No place: such a record is kept elsewhere. */
  static final long NONE = -1;

  private @Nullable ClaimRecord[] records = new ClaimRecord[64];
  private int[] vacant = new int[64];
  private int vacantCount;
  private int used;

  ClaimRecord get(long place) {
    return Objects.requireNonNull(records[(int) place]);
  }

  /** Adds a record; returns its place. */
  int add(ClaimRecord record) {
    if (vacantCount == 0 && used == records.length) {
      vacant = Arrays.copyOf(vacant, used * 2); // there is room to remove all, come what may
      records = Arrays.copyOf(records, used * 2);
    }
    int place = vacantCount > 0 ? vacant[--vacantCount] : used++;
    records[place] = record;
    return place;
  }

  /** Frees a place; does nothing if it is none. */
  void remove(long place) {
    if (place != NONE) {
      records[(int) place] = null;
      vacant[vacantCount++] = (int) place;
    }
  }
}
