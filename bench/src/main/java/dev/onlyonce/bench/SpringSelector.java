package dev.onlyonce.bench;

import java.util.concurrent.atomic.LongAdder;
import org.springframework.integration.metadata.SimpleMetadataStore;
import org.springframework.integration.selector.MetadataStoreSelector;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;

/** The bare selector of Spring Integration's idempotent receiver: a message is accepted or not. */
final class SpringSelector implements Door {

  private final LongAdder handled = new LongAdder();
  private final MetadataStoreSelector selector =
      new MetadataStoreSelector(
          message -> MessageKeys.text((byte[]) message.getPayload()), new SimpleMetadataStore());

  @Override
  public void handle(byte[] key) {
    Message<byte[]> message = new GenericMessage<>(key);
    if (selector.accept(message)) {
      handled.increment();
    }
  }

  @Override
  public long handled() {
    return handled.sum();
  }
}
