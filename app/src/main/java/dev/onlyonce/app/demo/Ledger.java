package dev.onlyonce.app.demo;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The bank's books. Each charge is an entry, whatever was charged before; the bank was not told
 * what an idempotency key is. Not safe for use by several threads.
 */
final class Ledger {

  /** In the place of a receipt. */
  static final long NOT_CHARGED = 0;

  private final Map<Integer, Integer> chargesByPayment = new HashMap<>();
  private final Map<Integer, Long> receiptsByPayment = new HashMap<>();
  private final Set<Integer> lookedUp = new HashSet<>();
  private long charges;
  private long lookUps;

  /** Books a charge; returns its receipt, from 1. */
  long charge(int payment) {
    charges++;
    chargesByPayment.merge(payment, 1, Integer::sum);
    receiptsByPayment.put(payment, charges);
    return charges;
  }

  /** Returns the receipt of the latest charge of a payment, or {@link #NOT_CHARGED}. */
  long lookUp(int payment) {
    lookUps++;
    lookedUp.add(payment);
    return receiptsByPayment.getOrDefault(payment, NOT_CHARGED);
  }

  long charges() {
    return charges;
  }

  /** Returns how many payments were charged at least once. */
  long charged() {
    return chargesByPayment.size();
  }

  /** Returns how many payments were charged more than once. */
  long doubled() {
    return chargesByPayment.values().stream().filter(count -> count > 1).count();
  }

  long lookUps() {
    return lookUps;
  }

  /** Returns how many payments were looked up at least once. */
  long lookedUp() {
    return lookedUp.size();
  }
}
