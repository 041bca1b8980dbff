package dev.onlyonce.store.local;

import dev.onlyonce.Key;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.ResultCodec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Handles keys without end, on several threads, and says of each when it is done. */
final class KilledWorker {

  private static final int THREADS = 4;

  private KilledWorker() {}

  /** The arguments are the store's directory and the number of the first key. */
  public static void main(String[] args) throws InterruptedException {
    int first = Integer.parseInt(args[1]);
    try (LocalStore store = LocalStore.at(Path.of(args[0])).segmentBytes(32_768).open();
        OnlyOnce<String> once =
            OnlyOnce.builder(store)
                .scope("billing")
                .onInDoubt(OnInDoubt.PARK)
                .results(ResultCodec.TEXT)
                .build()) {
      System.out.println("ready");
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int offset = i;
        Thread thread = new Thread(() -> handle(once, first + offset));
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  private static void handle(OnlyOnce<String> once, int first) {
    for (int number = first; ; number += THREADS) {
      String receipt = "receipt " + number;
      once.process(Key.of("order-" + number), attempt -> receipt + " " + attempt.token());
      System.out.println("done " + number);
    }
  }
}
