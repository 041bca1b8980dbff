package dev.onlyonce.store.tiered.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.RecordId;

/**
 * The scopes of copies in a fast store. They have the digits of the pair in their names, so nothing
 * else is ever taken for a copy: no record that somebody else has there, no copy of another
 * database, and none that was made before the tiers were made anew. Immutable.
 */
final class CopyScopes {

  /** The longest name that is left as it is: a scope has at most 128 characters. */
  private static final int LONGEST = 128 - "onlyonce/0123456789abcdef/".length();

  private final String prefix;
  private final String digests;

  CopyScopes(String pair) {
    this.prefix = "onlyonce/" + pair + "/";
    this.digests = "onlyonce/" + pair + "-";
  }

  RecordId copyOf(RecordId id) {
    return new RecordId(copyOf(id.scope()), id.key());
  }

  ClaimRecord copyOf(ClaimRecord record) {
    return Records.in(copyOf(record.scope()), record);
  }

  private Scope copyOf(Scope scope) {
    String name = scope.name();
    return Scope.of(
        name.length() <= LONGEST
            ? prefix + name
            : digests + Fingerprint.sha256(name.getBytes(US_ASCII)));
  }
}
