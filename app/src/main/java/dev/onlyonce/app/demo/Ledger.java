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

  private final Map<Integer, Integer> chargesByPayment = new HashMap<>();
  private final Map<Integer, Long> receiptsByPayment = new HashMap<>();
  private final Set<Integer> asked = new HashSet<>();
  private long charges;
  private long lookUps;

  /** Books a charge; returns its receipt, from 1. */
  long charge(int payment) {
    charges++;
    chargesByPayment.merge(payment, 1, Integer::sum);
    receiptsByPayment.put(payment, charges);
    return charges;
  }

  /** Returns the receipt of the latest charge of a payment, zero if there is none. */
  long lookUp(int payment) {
    lookUps++;
    asked.add(payment);
    return receiptsByPayment.getOrDefault(payment, 0L);
  }

  Totals totals() {
    long doubled = chargesByPayment.values().stream().filter(count -> count > 1).count();
    return new Totals(charges, chargesByPayment.size(), doubled, lookUps, asked.size());
  }

  /**
   * What is in the books.
   *
   * @param charges how many charges were booked
   * @param charged how many payments they are about
   * @param doubled how many of these were charged more than once
   * @param lookUps how many questions were answered
   * @param asked how many payments they were about
   */
  record Totals(long charges, long charged, long doubled, long lookUps, long asked) {

    /** Returns them in this order. */
    long[] numbers() {
      return new long[] {charges, charged, doubled, lookUps, asked};
    }
  }
}
