package dev.onlyonce.bench;

import java.util.concurrent.atomic.LongAdder;

/** The memory store without the engine, to tell what the engine adds. */
final class StoreDoor implements Door {

  private final LongAdder handled = new LongAdder();
  private final StoreMemory store;

  StoreDoor(int keys) {
    store = new StoreMemory(keys);
  }

  @Override
  public void handle(byte[] key) {
    if (store.handle(key)) {
      handled.increment();
    }
  }

  @Override
  public long handled() {
    return handled.sum();
  }

  @Override
  public void close() {
    store.close();
  }
}
