package dev.onlyonce.bench;

import java.util.Locale;

/**
 * Fills a memory with keys that are done and prints how many bytes of heap one of them takes. The
 * arguments are the memory's name and the number of keys.
 */
public final class HeapOfKeys {

  private HeapOfKeys() {}

  /** Fills and prints. */
  public static void main(String[] args) throws Exception {
    int keys = Integer.parseInt(args[1]);
    try (Memory memory = Memory.named(args[0], keys)) {
      long before = usedHeap();
      for (int i = 0; i < keys; i++) {
        memory.handle(MessageKeys.get(i));
      }
      double bytes = usedHeap() - before;
      if (memory.handle(MessageKeys.get(0))) {
        throw new IllegalStateException("the memory has forgotten a key");
      }
      System.out.printf(Locale.ROOT, "%.1f%n", bytes / keys);
    }
  }

  static long usedHeap() {
    System.gc();
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
