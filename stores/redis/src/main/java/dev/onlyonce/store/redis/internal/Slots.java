package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * The slots of Redis Cluster, and hash tags that are spread over them evenly.
 *
 * <p>Source: "Redis cluster specification", CRC16 (XMODEM) of what stands in braces, modulo 16,384.
 */
final class Slots {

  static final int COUNT = 16_384;
  private static final int[] TABLE = table();

  private Slots() {}

  private static int[] table() {
    int[] table = new int[256];
    for (int i = 0; i < table.length; i++) {
      int crc = i << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021;
      }
      table[i] = crc & 0xFFFF;
    }
    return table;
  }

  /** Returns the slot of a key without braces, or of what stands in them. */
  static int of(String tag) {
    int crc = 0;
    for (byte each : tag.getBytes(US_ASCII)) {
      crc = (crc << 8 & 0xFFFF) ^ TABLE[crc >>> 8 ^ (each & 0xFF)];
    }
    return crc % COUNT;
  }

  /**
   * Returns a tag for each shard: the smallest number whose slot is in the middle of the shard's
   * share of the slots.
   */
  static String[] tags(int shards) {
    int[] shardAt = new int[COUNT];
    for (int i = 0; i < shards; i++) {
      shardAt[(2 * i + 1) * COUNT / (2 * shards)] = i + 1;
    }
    String[] tags = new String[shards];
    int missing = shards;
    for (int number = 0; missing > 0; number++) {
      String tag = Integer.toString(number);
      int shard = shardAt[of(tag)];
      if (shard > 0) {
        tags[shard - 1] = tag;
        shardAt[of(tag)] = 0;
        missing--;
      }
    }
    return tags;
  }
}
