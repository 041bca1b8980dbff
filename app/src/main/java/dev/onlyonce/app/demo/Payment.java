package dev.onlyonce.app.demo;

import dev.onlyonce.Key;

/** A payment that a customer has made, and that is to be charged once. */
record Payment(int number) {

  private static final String PREFIX = "payment-";

  /** Returns the idempotency key of charging it. */
  Key key() {
    return Key.of(PREFIX + number);
  }

  /** Returns the payment that a key of {@link #key()} is about. */
  static Payment of(Key key) {
    return new Payment(Integer.parseInt(key.toString().substring(PREFIX.length())));
  }
}
