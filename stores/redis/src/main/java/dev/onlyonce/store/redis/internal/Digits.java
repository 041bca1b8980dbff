package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.Held;
import java.util.ArrayList;
import java.util.List;

/** Answers of one digit each. */
final class Digits {

  private Digits() {}

  static List<Held> held(Call call) {
    List<Held> answers = new ArrayList<>();
    for (byte each : call.bytes()) {
      answers.add(each == '2' ? Held.HELD : each == '1' ? Held.ALREADY : Held.LOST);
    }
    return answers;
  }

  static List<Boolean> done(Call call) {
    List<Boolean> answers = new ArrayList<>();
    for (byte each : call.bytes()) {
      answers.add(each == '1');
    }
    return answers;
  }
}
