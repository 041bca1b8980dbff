package dev.onlyonce.canary;

/** Does not use the library that its pom declares. */
final class Unused {
  private Unused() {}
}
