package dev.onlyonce.internal.messaging;

import dev.onlyonce.internal.Plan;
import dev.onlyonce.spi.Lapse;
import java.time.Duration;

/** What a consumer promises with its settings, as the sentence that it logs when it starts. */
final class Guarantee {

  private Guarantee() {}

  static String of(Plan<?> plan, ConsumerPlan<?> consumer) {
    String mode =
        consumer.transaction() == null
            ? mode(plan)
            : "exactly once in the database: a key is claimed in the transaction of its effect";
    String letters =
        consumer.deadLetters().publisher().isPresent() ? "published as dead letters" : "discarded";
    return mode
        + "; messages that fail after "
        + plan.onFailure().attempts()
        + " attempts are "
        + letters
        + "; keys are remembered for "
        + words(plan.retention());
  }

  private static String words(Duration duration) {
    boolean isDays = duration.equals(Duration.ofDays(duration.toDays()));
    return isDays ? duration.toDays() + " days" : duration.toString();
  }

  private static String mode(Plan<?> plan) {
    return switch (plan.mode()) {
      case AT_MOST_ONCE ->
          "at most once: a key is done before its handler runs, a crash loses the effect";
      case AT_LEAST_ONCE -> "at least once: no key is remembered, a handler may run again";
      case EFFECTIVELY_ONCE ->
          "effectively once: no key is handled again that is done; " + inDoubt(plan);
    };
  }

  private static String inDoubt(Plan<?> plan) {
    if (plan.resolver() != null) {
      return "after a crash a resolver is asked whether the effect has happened";
    }
    return plan.lapse() == Lapse.PARK
        ? "after a crash the key is in doubt until an operator decides"
        : "after a crash the handler runs again";
  }
}
