package dev.onlyonce.testkit.history;

import java.util.List;

/**
 * What a {@link HistoryFile} held when it was read: its events in the order in which they were
 * appended.
 *
 * <p>Immutable.
 *
 * @param entries the events that were written whole
 * @param tornLines the numbers, from 1, of lines with an event that was cut short, because its
 *     writer was killed or the disk was full in the middle of the write
 */
public record History(List<Entry> entries, List<Integer> tornLines) {

  /**
   * An event and its place.
   *
   * @param line its line in the file, from 1; two share a line if the first lost only its line end
   * @param startBytes the length of the file before it
   * @param endBytes the length of the file from which on it was there
   */
  public record Entry(int line, long startBytes, long endBytes, HistoryEvent event) {}

  /** Copies the lists. */
  public History {
    entries = List.copyOf(entries);
    tornLines = List.copyOf(tornLines);
  }
}
