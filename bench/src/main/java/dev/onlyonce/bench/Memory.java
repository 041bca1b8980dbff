package dev.onlyonce.bench;

import java.nio.file.Path;

/**
 * A way to remember which keys were handled, in memory or on a disk. Safe for use by several
 * threads unless it says otherwise.
 */
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
      case "onlyonce" -> StoreMemory.onHeap(keys);
      case "map" -> MapMemory.concurrentHashMap();
      case "caffeine" -> MapMemory.caffeine();
      default -> throw new IllegalArgumentException("no such memory: " + name);
    };
  }

  /** Makes the durable one of that name in an empty folder; what it has answered is synced. */
  static Memory durable(String name, Path folder) throws Exception {
    return switch (name) {
      case "onlyonce" -> StoreMemory.onDisk(folder);
      case "sqlite" -> new SqlitePeer(folder);
      case "rocksdb" -> new RocksPeer(folder);
      case "mvstore" -> new MvStorePeer(folder);
      default -> throw new IllegalArgumentException("no such durable memory: " + name);
    };
  }
}
