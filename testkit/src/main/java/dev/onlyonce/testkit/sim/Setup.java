package dev.onlyonce.testkit.sim;

import dev.onlyonce.DeliveryMode;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Time;
import java.util.function.Function;

/**
 * What a simulated world is made of. Immutable.
 *
 * @param mode the delivery mode
 * @param doubt what becomes of a key whose holder vanished
 * @param bank where the handlers' effects happen
 * @param failsOpen whether handlers run unprotected while the store cannot be asked
 * @param stores opens a store over these clocks, which stand still unless the simulation moves them
 */
public record Setup(
    DeliveryMode mode,
    Doubt doubt,
    Bank bank,
    boolean failsOpen,
    Function<Time, ClaimStore> stores) {

  /** What becomes of a key whose holder vanished. */
  public enum Doubt {
    /** The handler is run again. */
    RERUN,
    /** The message is put aside for an operator. */
    PARK,
    /**
     * The bank is asked; it is believed that nothing happened only if nothing can arrive any more.
     */
    RESOLVE
  }

  /** What the bank, where the effects happen, knows of claims. */
  public enum Bank {
    /** Nothing: whatever arrives takes effect. */
    BLIND,
    /** It refuses a smaller token than it has seen, also in a question about a token in doubt. */
    CHECKS_TOKENS,
    /** It knows the keys: one that has taken effect does not do so again. */
    CHECKS_KEYS
  }

  /** Returns a world in this mode, with this policy and bank, and a memory store. */
  public static Setup of(DeliveryMode mode, Doubt doubt, Bank bank) {
    return new Setup(
        mode,
        doubt,
        bank,
        false,
        time -> MemoryStore.builder().time(time).forgetful().capacity(1_000).build());
  }

  /** Returns this world, in which handlers run unprotected while the store cannot be asked. */
  public Setup failingOpen() {
    return new Setup(mode, doubt, bank, true, stores);
  }

  /** Returns this world with another store. */
  public Setup withStore(Function<Time, ClaimStore> other) {
    return new Setup(mode, doubt, bank, failsOpen, other);
  }

  /** Tells whether no key may ever take effect twice. */
  boolean promisesOnce() {
    if (bank == Bank.CHECKS_KEYS) {
      return true;
    }
    return !failsOpen
        && (mode == DeliveryMode.AT_MOST_ONCE
            || (mode == DeliveryMode.EFFECTIVELY_ONCE && doubt != Doubt.RERUN));
  }

  @Override
  public String toString() {
    return mode + ", in doubt " + doubt + ", bank " + bank + (failsOpen ? ", failing open" : "");
  }
}
