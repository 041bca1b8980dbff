package dev.onlyonce.testkit.messaging;

import dev.onlyonce.spi.Source;

class MemoryBrokerTest extends SourceContract {

  private final MemoryBroker broker = new MemoryBroker(4);

  @Override
  protected void send(String orderingKey, String body) {
    broker.send(orderingKey, body);
  }

  @Override
  protected Source join() {
    return broker.join();
  }
}
