package dev.onlyonce.broker.rabbitmq;

/**
 * Where a message is sent.
 *
 * @param exchange empty for the default one
 */
record Destination(String exchange, String routingKey) {

  Destination {
    if (exchange.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "the exchange of a destination must have no slash in its name, was " + exchange);
    }
  }

  static Destination of(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? new Destination("", text)
        : new Destination(text.substring(0, slash), text.substring(slash + 1));
  }

  /** Returns it as a publisher spells it. */
  @Override
  public String toString() {
    return exchange + "/" + routingKey;
  }
}
