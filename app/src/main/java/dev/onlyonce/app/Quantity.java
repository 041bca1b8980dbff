package dev.onlyonce.app;

import java.util.Locale;

/** Says how many there are of something. */
public final class Quantity {

  private Quantity() {}

  /** Returns {@code 1 record} or {@code 1,200 records}: the noun, which has the usual plural. */
  public static String of(long count, String noun) {
    return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
  }
}
