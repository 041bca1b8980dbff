package dev.onlyonce.app.demo;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * What a worker does with a callback. Many are handled at once, so no thread is kept while the bank
 * is asked. Any number of threads.
 */
@FunctionalInterface
interface PaymentHandler {

  /**
   * Handles one delivery of the callback of a payment.
   *
   * @return zero to acknowledge it, else when it is to be delivered again; or a failure, after
   *     which the worker gives up
   */
  CompletableFuture<Duration> handle(Payment payment);
}
