package dev.onlyonce.app.demo;

import java.io.IOException;
import java.time.Duration;

/** Charges at each delivery. */
record NaiveHandler(BankConnection bank) implements PaymentHandler {

  @Override
  public Duration handle(Payment payment) throws IOException {
    bank.charge(payment);
    return Duration.ZERO;
  }
}
