package dev.onlyonce.bench;

import java.util.concurrent.atomic.LongAdder;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Producer;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;

/**
 * Camel's Idempotent Consumer with its memory repository, as its documents show it: the message id
 * is a header, keys are added eagerly and removed on failure. The repository has room for all keys,
 * management and stream caching are off, and messages are given to the route's producer without a
 * template.
 */
final class CamelRoute implements Door {

  private static final String ID = "messageId";

  private final LongAdder handled = new LongAdder();
  private final CamelContext context = new DefaultCamelContext();
  private final Producer producer;

  CamelRoute(int keys) throws Exception {
    context.disableJMX();
    context.setStreamCaching(false);
    context.addRoutes(
        new RouteBuilder() {
          @Override
          public void configure() {
            from("direct:start")
                .idempotentConsumer(
                    header(ID), MemoryIdempotentRepository.memoryIdempotentRepository(keys))
                .process(exchange -> handled.increment());
          }
        });
    context.start();
    producer = context.getEndpoint("direct:start").createProducer();
    producer.start();
  }

  @Override
  public void handle(byte[] key) {
    Exchange exchange = producer.getEndpoint().createExchange();
    exchange.getMessage().setHeader(ID, MessageKeys.text(key));
    try {
      producer.process(exchange);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    if (exchange.getException() != null) {
      throw new IllegalStateException(exchange.getException());
    }
  }

  @Override
  public long handled() {
    return handled.sum();
  }

  @Override
  public void close() {
    context.stop();
  }
}
