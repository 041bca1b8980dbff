package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.KeyHash;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the record of a key is: the shard and the field in it. Safe for use by several threads.
 *
 * <p>A field is a keyed hash of 128 bits of scope and key, then 48 bits that tell the scope to
 * whoever lists records. Only the hash is relied upon.
 */
final class Places {

  static final int FIELD_BYTES = 22;
  private static final int HASH_BYTES = 16;

  /** How many scopes are remembered; when there are more, all are forgotten and met anew. */
  private static final int MOST_SCOPES = 65_536;

  private final KeyHash secret;
  private final int shards;
  private final Map<Scope, ScopeHash> scopes = new ConcurrentHashMap<>();

  Places(KeyHash secret, int shards) {
    this.secret = secret;
    this.shards = shards;
  }

  /** Where a record is. */
  record Place(int shard, byte[] field) {}

  private record ScopeHash(KeyHash hash, byte[] number) {}

  Place of(Scope scope, Key key) {
    ScopeHash known = hashOf(scope);
    KeyHash.Hash hash = known.hash.of(key);
    byte[] field =
        ByteBuffer.allocate(FIELD_BYTES)
            .putLong(hash.first())
            .putLong(hash.second())
            .put(known.number)
            .array();
    return new Place((int) Long.remainderUnsigned(hash.first(), shards), field);
  }

  /** Returns the bytes that stand for a scope at the end of its fields. */
  byte[] numberOf(Scope scope) {
    return hashOf(scope).number;
  }

  /** Returns the bytes that stand for a scope in this field. */
  static byte[] numberIn(byte[] field) {
    return Arrays.copyOfRange(field, HASH_BYTES, FIELD_BYTES);
  }

  private ScopeHash hashOf(Scope scope) {
    ScopeHash known = scopes.get(scope);
    if (known == null) {
      if (scopes.size() >= MOST_SCOPES) {
        scopes.clear();
      }
      // Not the bytes that the secret of the scope's keys is made of.
      byte[] name = (scope.name() + "\0").getBytes(ISO_8859_1);
      long hash = secret.of(name, 0, name.length).first();
      byte[] number = Arrays.copyOf(ByteBuffer.allocate(8).putLong(hash).array(), 6);
      known = new ScopeHash(secret.within(scope), number);
      scopes.put(scope, known);
    }
    return known;
  }
}
