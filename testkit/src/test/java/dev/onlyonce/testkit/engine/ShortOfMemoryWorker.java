package dev.onlyonce.testkit.engine;

import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Claims keys while there is no memory, and looks at what has become of them when there is. */
final class ShortOfMemoryWorker {

  private static final Scope SCOPE = Scope.of("short");
  private static final int ROUNDS = 15;
  private static final int ERRORS = 10;

  private final MemoryStore store = MemoryStore.builder().capacity(10_000_000).forgetful().build();
  private int keys;
  private int errors;

  private ShortOfMemoryWorker() {}

  public static void main(String[] args) {
    ShortOfMemoryWorker worker = new ShortOfMemoryWorker();
    for (int round = 0; round < ROUNDS; round++) {
      worker.runOut(round);
      worker.check();
    }
    System.out.println("ok after " + worker.errors + " errors");
  }

  private static ClaimRequest request(int number) {
    return ClaimRequest.of(
        SCOPE, Key.of("order-" + number), number, Duration.ofHours(1), Lapse.TAKE);
  }

  private void runOut(int round) {
    List<byte[]> ballast = new ArrayList<>(1_000);
    try {
      while (ballast.size() < 1_000) {
        ballast.add(new byte[256 << 10]);
      }
    } catch (OutOfMemoryError e) {
      ballast.remove(ballast.size() - 1);
    }
    int end = errors + ERRORS;
    for (int i = 0; i < 20_000 && errors < end; i++) {
      int number = keys++;
      try {
        store.claim(List.of(request(number)));
      } catch (OutOfMemoryError e) {
        errors++;
        if (errors % 10 == round % 10 && ballast.size() > 1) {
          ballast.remove(ballast.size() - 1);
        }
      }
    }
    ballast.clear();
  }

  /**
   * Each key was claimed, or was not: asked for again, the claim is granted, the first and only.
   */
  private void check() {
    for (int number = 0; number < keys; number++) {
      Answer answer = store.claim(List.of(request(number))).get(0);
      if (!(answer instanceof Answer.Claimed claimed) || claimed.claim().attempt() != 1) {
        throw new IllegalStateException("key " + number + " of " + keys + ": " + answer);
      }
    }
  }
}
