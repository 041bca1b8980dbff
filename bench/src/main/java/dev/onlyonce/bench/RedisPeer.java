package dev.onlyonce.bench;

import java.net.URI;
import java.util.List;

/**
 * A way to have claims in Redis, as one would use it. Keys may be claimed one by one by several
 * threads; batches are for one thread.
 */
interface RedisPeer extends Memory {

  /** Claims a key; returns whether it was new. */
  boolean claim(byte[] key);

  /** Claims many keys; returns how many were new. One by one if there is no batch. */
  default int claim(byte[][] keys) {
    int fresh = 0;
    for (byte[] key : keys) {
      fresh += claim(key) ? 1 : 0;
    }
    return fresh;
  }

  /** Makes the one of that name. */
  static RedisPeer named(String name, List<String> uris) {
    URI first = URI.create(uris.get(0));
    return switch (name) {
      case "onlyonce" -> RedisStorePeer.of(uris);
      case "onlyonce, fingerprints" -> RedisStorePeer.withFingerprints(uris);
      case "onlyonce, compact tier" -> RedisStorePeer.compact(uris, RedisWork.BATCHED_KEYS);
      case "onlyonce, large compact tier" -> RedisStorePeer.compact(uris, RedisTables.BYTES_OF);
      case "onlyonce, combined" -> RedisStorePeer.combined(uris);
      case "jedis" -> JedisPipeline.of(uris);
      case "lettuce" -> new LettucePeer(first);
      case "jedis, script" -> ScriptPeer.byJedis(first);
      case "lettuce, script" -> ScriptPeer.byLettuce(first);
      case "spring-metadata" -> new SpringMetadataPeer(first);
      case "redisson" -> new RedissonPeer(first);
      case "shedlock" -> new ShedLockPeer(first);
      default -> throw new IllegalArgumentException("no such peer: " + name);
    };
  }
}
