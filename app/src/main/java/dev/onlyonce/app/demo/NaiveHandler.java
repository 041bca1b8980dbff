package dev.onlyonce.app.demo;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Charges at each delivery. */
record NaiveHandler(BankConnection bank) implements PaymentHandler {

  @Override
  public CompletableFuture<Duration> handle(Payment payment) {
    return bank.charge(payment).thenApply(receipt -> Duration.ZERO);
  }
}
