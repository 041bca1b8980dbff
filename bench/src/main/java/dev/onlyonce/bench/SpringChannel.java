package dev.onlyonce.bench;

import java.util.concurrent.atomic.LongAdder;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.channel.NullChannel;
import org.springframework.integration.handler.advice.IdempotentReceiverInterceptor;
import org.springframework.integration.metadata.SimpleMetadataStore;
import org.springframework.integration.selector.MetadataStoreSelector;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.support.GenericMessage;

/**
 * Spring Integration's idempotent receiver as its documents show it: the interceptor advises the
 * handler at the end of a direct channel, with the memory metadata store, and discards duplicates.
 * The key is taken by a lambda, which is faster than an expression.
 */
final class SpringChannel implements Door {

  private final LongAdder handled = new LongAdder();
  private final DirectChannel channel = new DirectChannel();

  SpringChannel() {
    IdempotentReceiverInterceptor interceptor =
        new IdempotentReceiverInterceptor(
            new MetadataStoreSelector(
                message -> MessageKeys.text((byte[]) message.getPayload()),
                new SimpleMetadataStore()));
    interceptor.setDiscardChannel(new NullChannel());
    NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(interceptor);
    advisor.addMethodName("handleMessage");
    MessageHandler handler = message -> handled.increment();
    ProxyFactory proxies = new ProxyFactory(handler);
    proxies.addAdvisor(advisor);
    channel.subscribe((MessageHandler) proxies.getProxy());
  }

  @Override
  public void handle(byte[] key) {
    channel.send(new GenericMessage<>(key));
  }

  @Override
  public long handled() {
    return handled.sum();
  }
}
