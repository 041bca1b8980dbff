package dev.onlyonce.internal;

import dev.onlyonce.spi.ClaimRecord;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The records of which an entry of a {@link MemoryStripe} cannot say all. A place that is cleared
 * is used again, so a shelf is as large as it ever had to be. Not safe for use by several threads.
 */
final class MemoryShelf {

  private @Nullable ClaimRecord[] records = new ClaimRecord[16];
  private int used;
  private int[] vacant = new int[16];
  private int vacancies;

  /** Puts a record down; returns its place. */
  int put(ClaimRecord record) {
    int place = vacancies > 0 ? vacant[--vacancies] : used++;
    if (place == records.length) {
      records = Arrays.copyOf(records, place * 2);
    }
    records[place] = record;
    return place;
  }

  ClaimRecord get(int place) {
    return Objects.requireNonNull(records[place]);
  }

  void replace(int place, ClaimRecord record) {
    records[place] = record;
  }

  void clear(int place) {
    records[place] = null;
    if (vacancies == vacant.length) {
      vacant = Arrays.copyOf(vacant, vacancies * 2);
    }
    vacant[vacancies++] = place;
  }
}
