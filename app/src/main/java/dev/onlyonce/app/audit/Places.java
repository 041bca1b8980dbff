package dev.onlyonce.app.audit;

import java.util.ArrayList;
import java.util.List;

/** Gives places of records a number each, which is above zero. */
final class Places {

  private static final int LINE_BITS = 40;
  private static final long LINE_MASK = (1L << LINE_BITS) - 1;

  private final List<String> inputs = new ArrayList<>();

  /** Returns the number of a line, of the input that is being read or of a new one. */
  long number(String input, long line) {
    int last = inputs.size() - 1;
    if (last < 0 || !inputs.get(last).equals(input)) {
      inputs.add(input);
      last++;
    }
    return (long) last << LINE_BITS | Math.min(line, LINE_MASK);
  }

  /** Returns the place that has this number. */
  Place place(long number) {
    return new Place(inputs.get((int) (number >>> LINE_BITS)), number & LINE_MASK);
  }
}
