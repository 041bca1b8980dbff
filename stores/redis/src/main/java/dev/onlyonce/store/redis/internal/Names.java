package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.List;

/**
 * The names of a store's Redis keys. No name has anything of a user's key in it.
 *
 * @param meta a hash of settings
 * @param scopes a hash from numbers to names of scopes
 * @param shards hashes of records
 */
record Names(Name meta, Name scopes, List<Name> shards) {

  /** A key and its slot. */
  record Name(byte[] key, int slot) {
    @Override
    public String toString() {
      return new String(key, US_ASCII);
    }

    private static Name of(String key, String hashed) {
      return new Name(key.getBytes(US_ASCII), Slots.of(hashed));
    }
  }

  static Names of(String prefix, int shards) {
    List<Name> names = new ArrayList<>();
    for (String tag : Slots.tags(shards)) {
      names.add(Name.of(prefix + ":{" + tag + "}", tag));
    }
    return new Names(meta(prefix), Name.of(prefix + ":scopes", prefix + ":scopes"), names);
  }

  static Name meta(String prefix) {
    return Name.of(prefix + ":meta", prefix + ":meta");
  }
}
