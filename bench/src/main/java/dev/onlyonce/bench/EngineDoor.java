package dev.onlyonce.bench;

import dev.onlyonce.Attempt;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** OnlyOnce as it comes, with the memory store: claim, handler, complete. */
final class EngineDoor implements Door {

  private final LongAdder handled = new LongAdder();
  private final MemoryStore store;
  private final OnlyOnce<@Nullable Void> once;

  EngineDoor(int keys) {
    store = MemoryStore.builder().capacity(keys).forgetful().build();
    once = OnlyOnce.builder(store).scope("bench").onInDoubt(OnInDoubt.RERUN).build();
  }

  @Override
  @SuppressWarnings("NullAway") // as above
  public void handle(byte[] key) {
    once.process(Key.ofBytes(key), this::count);
  }

  @SuppressWarnings("NullAway") // Void has no other value
  private @Nullable Void count(Attempt attempt) {
    handled.increment();
    return null;
  }

  @Override
  public long handled() {
    return handled.sum();
  }

  @Override
  public void close() {
    once.close();
    store.close();
  }
}
