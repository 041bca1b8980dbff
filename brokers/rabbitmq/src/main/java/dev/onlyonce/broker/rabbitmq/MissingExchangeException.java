package dev.onlyonce.broker.rabbitmq;

import java.io.IOException;

/** There is no such exchange, so that a message to it can be in no queue. */
final class MissingExchangeException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String sentence;

  MissingExchangeException(String exchange, IOException cause) {
    super(cause);
    sentence = "exchange " + exchange + " is not there: declare it, and bind a queue to it";
  }

  @Override
  public String getMessage() {
    return sentence;
  }
}
