package dev.onlyonce.store.redis.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.KeyHash;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the record of a key is: the shard and the field in it, both out of the keyed hash of scope
 * and key. Safe for use by several threads.
 *
 * <p>Of its 128 bits 112 are the field, and the others choose the shard. Among a billion keys of
 * one shard the odds that two are taken for one are 1 in 10<sup>16</sup>, and whoever does not know
 * the store's secret cannot look for such two.
 */
final class Places {

  static final int FIELD_BYTES = 14;

  /** How many scopes are remembered; when there are more, all are forgotten and met anew. */
  private static final int MOST_SCOPES = 65_536;

  private final KeyHash secret;
  private final int shards;
  private final Map<Scope, KeyHash> scopes = new ConcurrentHashMap<>();

  Places(KeyHash secret, int shards) {
    this.secret = secret;
    this.shards = shards;
  }

  /** Where a record is. */
  record Place(int shard, byte[] field) {}

  Place of(Scope scope, Key key) {
    KeyHash.Hash hash = within(scope).of(key);
    byte[] field =
        ByteBuffer.allocate(FIELD_BYTES)
            .putLong(hash.first())
            .putInt((int) (hash.second() >>> 32))
            .putShort((short) (hash.second() >>> 16))
            .array();
    return new Place((int) (((hash.second() & 0xFFFF) * shards) >>> 16), field);
  }

  private KeyHash within(Scope scope) {
    KeyHash known = scopes.get(scope);
    if (known == null) {
      if (scopes.size() >= MOST_SCOPES) {
        scopes.clear();
      }
      known = secret.within(scope);
      scopes.put(scope, known);
    }
    return known;
  }
}
