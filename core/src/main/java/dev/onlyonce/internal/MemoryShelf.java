package dev.onlyonce.internal;

import dev.onlyonce.spi.ClaimRecord;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The records of which an entry of a {@link MemoryStripe} cannot say all. A place that is cleared
 * is used again, so a shelf is as large as it ever had to be. Only {@link #put} takes memory, and
 * has changed nothing if there is none. Not safe for use by several threads.
 */
final class MemoryShelf {

  private @Nullable ClaimRecord[] records = new ClaimRecord[16];
  private int used;

  /** As long as the records, so that clearing takes no memory. */
  private int[] vacant = new int[16];

  private int vacancies;

  /** Puts a record down; returns its place. */
  int put(ClaimRecord record) {
    if (vacancies > 0) {
      int place = vacant[--vacancies];
      records[place] = record;
      return place;
    }
    if (used == records.length) {
      int[] moreVacant = Arrays.copyOf(vacant, used * 2);
      records = Arrays.copyOf(records, used * 2);
      vacant = moreVacant;
    }
    records[used] = record;
    return used++;
  }

  ClaimRecord get(int place) {
    return Objects.requireNonNull(records[place]);
  }

  void replace(int place, ClaimRecord record) {
    records[place] = record;
  }

  void clear(int place) {
    records[place] = null;
    vacant[vacancies++] = place;
  }
}
