package dev.onlyonce.bench;

import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.store.local.LocalStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** One of our stores by its SPI: claim, then complete. */
final class StoreMemory implements Memory {

  static final Scope SCOPE = Scope.of("bench");

  private final ClaimStore store;

  StoreMemory(ClaimStore store) {
    this.store = store;
  }

  static Memory onHeap(int keys) {
    return new StoreMemory(MemoryStore.builder().capacity(keys).forgetful().build());
  }

  static Memory onDisk(Path folder) {
    return new StoreMemory(LocalStore.open(folder));
  }

  @Override
  public boolean handle(byte[] key) {
    Answer answer = store.claim(List.of(request(key))).get(0);
    if (answer instanceof Answer.Claimed claimed) {
      store.settle(List.of(completion(claimed)));
      return true;
    }
    return false;
  }

  @Override
  public int handle(byte[][] keys) {
    List<ClaimRequest> requests = new ArrayList<>(keys.length);
    for (byte[] key : keys) {
      requests.add(request(key));
    }
    List<Settlement> completions = new ArrayList<>(keys.length);
    for (Answer answer : store.claim(requests)) {
      if (answer instanceof Answer.Claimed claimed) {
        completions.add(completion(claimed));
      }
    }
    if (!completions.isEmpty()) {
      store.settle(completions);
    }
    return completions.size();
  }

  private static ClaimRequest request(byte[] key) {
    long requestId = ThreadLocalRandom.current().nextLong();
    return ClaimRequest.of(SCOPE, Key.ofBytes(key), requestId, Limits.LEASE, Lapse.TAKE);
  }

  private static Settlement completion(Answer.Claimed claimed) {
    return new Settlement.Complete(claimed.claim(), Result.NONE, Limits.RETENTION);
  }

  @Override
  public void close() {
    store.close();
  }
}
