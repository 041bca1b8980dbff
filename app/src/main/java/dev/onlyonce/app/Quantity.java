package dev.onlyonce.app;

import java.util.Locale;

/** Says how many there are of something, or how much. */
public final class Quantity {

  private Quantity() {}

  /** Returns {@code 1 record} or {@code 1,200 records}: the noun, which has the usual plural. */
  public static String of(long count, String noun) {
    return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
  }

  /** Returns {@code 1,510 MiB}: the one unit in which the program says how much room there is. */
  public static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%,d MiB", bytes >> 20);
  }
}
