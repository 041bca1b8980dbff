package dev.onlyonce.canary;

/** Is indented by three. */
final class Unformatted {
   private Unformatted() {}
}
