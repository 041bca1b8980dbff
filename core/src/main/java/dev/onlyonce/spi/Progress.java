package dev.onlyonce.spi;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * How far one lane is finished: for brokers that are told a position, below which everything is
 * done, and not single deliveries.
 *
 * <p><b>Guarantee.</b> {@link #position()} is never beyond the first delivery that is not finished,
 * and never goes back.
 *
 * <p>Memory: for each delivery from the first unfinished one on. Not safe for use by several
 * threads at once.
 */
public final class Progress {

  /** In the order of arrival. */
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();

  private final Map<Long, Entry> unfinished = new HashMap<>();
  private long position;

  private static final class Entry {
    private final long number;
    private boolean isFinished;

    Entry(long number) {
      this.number = number;
    }
  }

  /**
   * @param position the number of the first delivery that is to come, or less
   */
  public Progress(long position) {
    this.position = position;
  }

  /**
   * A delivery has arrived.
   *
   * @throws IllegalArgumentException if it is not behind all that arrived before
   */
  public void arrived(long number) {
    long last = entries.isEmpty() ? position - 1 : entries.getLast().number;
    if (number <= last) {
      throw new IllegalArgumentException(
          "number must be larger than the last one, which is " + last + ", was " + number);
    }
    Entry entry = new Entry(number);
    entries.add(entry);
    unfinished.put(number, entry);
  }

  /** A delivery is finished; one that has not arrived, or is finished already, changes nothing. */
  public void finished(long number) {
    Entry entry = unfinished.remove(number);
    if (entry == null) {
      return;
    }
    entry.isFinished = true;
    for (Entry head = entries.peek(); head != null && head.isFinished; head = entries.peek()) {
      position = head.number + 1;
      entries.remove();
    }
  }

  /** Returns the number below which everything that arrived is finished. */
  public long position() {
    return position;
  }

  /** Returns what {@link #position()} would be if these were finished, too. */
  public long positionWith(Set<Long> alsoFinished) {
    long reached = position;
    for (Entry entry : entries) {
      if (!entry.isFinished && !alsoFinished.contains(entry.number)) {
        break;
      }
      reached = entry.number + 1;
    }
    return reached;
  }

  /** Returns how many deliveries have arrived and are not finished. */
  public int unfinished() {
    return unfinished.size();
  }

  /** Returns how many are finished and wait for an earlier one. */
  public int ahead() {
    return entries.size() - unfinished.size();
  }
}
