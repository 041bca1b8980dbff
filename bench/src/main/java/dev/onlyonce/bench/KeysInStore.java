package dev.onlyonce.bench;

import java.nio.file.Path;
import java.util.Locale;

/**
 * Fills a local store with keys that are done; or opens it and prints how many seconds that took
 * and how many bytes of heap a key takes. The arguments are {@code fill} or {@code open}, the
 * folder, and the number of keys.
 */
public final class KeysInStore {

  private static final int BATCH = 10_000;

  private KeysInStore() {}

  /** Fills, or opens and prints. */
  public static void main(String[] args) {
    Path folder = Path.of(args[1]);
    int keys = Integer.parseInt(args[2]);
    if (args[0].equals("fill")) {
      fill(folder, keys);
    } else {
      open(folder, keys);
    }
  }

  private static void fill(Path folder, int keys) {
    try (Memory memory = StoreMemory.onDisk(folder)) {
      for (int i = 0; i < keys; i += BATCH) {
        memory.handle(MessageKeys.range(i, Math.min(BATCH, keys - i)));
      }
    }
  }

  private static void open(Path folder, int keys) {
    long before = HeapOfKeys.usedHeap();
    long start = System.nanoTime();
    try (Memory memory = StoreMemory.onDisk(folder)) {
      double seconds = (System.nanoTime() - start) / 1e9;
      double bytes = HeapOfKeys.usedHeap() - before;
      if (memory.handle(MessageKeys.get(keys - 1))) {
        throw new IllegalStateException("the store has forgotten a key");
      }
      System.out.printf(Locale.ROOT, "%.3f %.1f%n", seconds, bytes / keys);
    }
  }
}
