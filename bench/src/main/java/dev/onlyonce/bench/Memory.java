package dev.onlyonce.bench;

/** A way to remember in memory which keys were handled. Safe for use by several threads. */
interface Memory extends AutoCloseable {

  /** Claims a key and, if it is new, completes it; returns whether it was new. */
  boolean handle(byte[] key);

  /** Does the same with many keys; returns how many were new. One by one if there is no batch. */
  default int handle(byte[][] keys) {
    int fresh = 0;
    for (byte[] key : keys) {
      fresh += handle(key) ? 1 : 0;
    }
    return fresh;
  }

  @Override
  default void close() {}

  /** Makes the memory of that name for this many keys. */
  static Memory named(String name, int keys) {
    return switch (name) {
      case "onlyonce" -> new StoreMemory(keys);
      case "map" -> MapMemory.concurrentHashMap();
      case "caffeine" -> MapMemory.caffeine();
      default -> throw new IllegalArgumentException("no such memory: " + name);
    };
  }
}
