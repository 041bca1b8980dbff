package dev.onlyonce.canary;

import net.bytebuddy.ByteBuddy;

/** Uses a library that only another library brought along. */
final class Borrowed {
  private Borrowed() {}

  static ByteBuddy buddy() {
    return new ByteBuddy();
  }
}
