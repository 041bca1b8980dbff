package dev.onlyonce.planted;

/** Ends the JVM, although it is no program. */
final class Leaver {
  private Leaver() {}

  static void leave() {
    System.exit(1);
  }
}
