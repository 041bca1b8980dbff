package dev.onlyonce.app.demo;

import java.io.IOException;
import java.time.Duration;

/** What a worker does with a callback. Any number of threads. */
@FunctionalInterface
interface PaymentHandler {

  /**
   * Handles one delivery of the callback of a payment.
   *
   * @return zero to acknowledge it, else when it is to be delivered again
   */
  Duration handle(Payment payment) throws IOException;
}
