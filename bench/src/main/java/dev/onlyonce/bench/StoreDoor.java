package dev.onlyonce.bench;

import java.util.concurrent.atomic.LongAdder;

/** The memory store without the engine, to tell what the engine adds. */
final class StoreDoor implements Door {

  private final LongAdder handled = new LongAdder();
  private final Memory store;

  StoreDoor(int keys) {
    store = StoreMemory.onHeap(keys);
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
