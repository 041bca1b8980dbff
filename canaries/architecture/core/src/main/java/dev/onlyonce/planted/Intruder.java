package dev.onlyonce.planted;

import dev.onlyonce.planted.internal.Secret;
import org.assertj.core.util.Strings;

/** Uses a module that is not in the table, its internals, and a library in core. */
final class Intruder {
  private Intruder() {}

  static String look() {
    return Strings.quote(Secret.word());
  }
}
