package dev.onlyonce.canary;

/** Computes what it never uses: ErrorProne warns, and a warning is an error. */
final class Forgetful {
  private Forgetful() {}

  static boolean isPositive(int lease) {
    boolean negative = lease < 0;
    return lease > 0;
  }
}
