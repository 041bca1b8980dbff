package dev.onlyonce.bench;

import java.util.concurrent.atomic.LongAdder;
import org.apache.camel.spi.IdempotentRepository;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;

/** The bare calls that Camel's idempotent consumer makes: add, handle, confirm. */
final class CamelRepository implements Door {

  private final LongAdder handled = new LongAdder();
  private final IdempotentRepository repository;

  CamelRepository(int keys) {
    repository = MemoryIdempotentRepository.memoryIdempotentRepository(keys);
  }

  @Override
  public void handle(byte[] key) {
    String text = MessageKeys.text(key);
    if (repository.add(text)) {
      handled.increment();
      repository.confirm(text);
    }
  }

  @Override
  public long handled() {
    return handled.sum();
  }
}
