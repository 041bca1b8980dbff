package dev.onlyonce.testkit.sim;

import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Key;
import dev.onlyonce.Outcome;
import dev.onlyonce.internal.Step;

/** How the engine is set up and what those around it do: where tests plant faults. */
interface Habits {

  /** The right ones. */
  Habits GOOD = new Habits() {};

  /** Returns the mode that the engine runs in. */
  default DeliveryMode mode(Setup setup) {
    return setup.mode();
  }

  /** Tells whether a broker's adapter acknowledges the delivery when the engine says this. */
  default boolean acknowledges(Step<String> step) {
    return step instanceof Step.End<String> end && isOver(end.outcome());
  }

  private static boolean isOver(Outcome<String> outcome) {
    return outcome instanceof Outcome.Processed
        || outcome instanceof Outcome.Duplicate
        || outcome instanceof Outcome.Failed
        || (outcome instanceof Outcome.InDoubt<String> doubt && doubt.askAgainAfter() == null);
  }

  /**
   * Tells whether a resolver that found no effect may say that there will be none: with a bank that
   * checks tokens, it has that refuse what is in doubt; else nothing may be on its way.
   */
  default boolean mayDeny(World world, Key key, long token) {
    if (world.setup().bank() == Setup.Bank.CHECKS_TOKENS) {
      world.bank().fence(key, token);
      return true;
    }
    return world.setup().bank() == Setup.Bank.CHECKS_KEYS || !world.canStillArrive(key, token);
  }
}
