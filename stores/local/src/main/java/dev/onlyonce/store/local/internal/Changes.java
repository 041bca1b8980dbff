package dev.onlyonce.store.local.internal;

import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.KeyHash.Hash;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How the entries of an index were before they were changed, while that can be undone. Not safe for
 * use by several threads at once.
 */
final class Changes {

  /** Is told how an entry was. */
  interface Undo {
    void entry(
        Hash hash,
        boolean found,
        long expiresAt,
        long what,
        long token,
        long where,
        @Nullable ClaimRecord claim);
  }

  private static final int LONGS = 6;
  private static final int KEPT = 1 << 12;

  private long[] longs = new long[64 * LONGS];
  private @Nullable ClaimRecord[] claims = new ClaimRecord[64];
  private boolean[] found = new boolean[64];
  private int count;
  private boolean recording;

  /** From now on, changes are noted. */
  void begin() {
    recording = true;
  }

  boolean isRecording() {
    return recording;
  }

  /** Forgets the changes, and notes none any more. */
  void end() {
    recording = false;
    Arrays.fill(claims, 0, count, null);
    count = 0;
    if (found.length > KEPT) {
      resize(KEPT);
    }
  }

  /** There was no entry with this hash. */
  void added(Hash hash) {
    note(hash, false, 0, 0, 0, 0, null);
  }

  /** There was an entry, and this is what it said. */
  void changed(
      Hash hash, long expiresAt, long what, long token, long where, @Nullable ClaimRecord claim) {
    note(hash, true, expiresAt, what, token, where, claim);
  }

  private void note(
      Hash hash,
      boolean isFound,
      long expiresAt,
      long what,
      long token,
      long where,
      @Nullable ClaimRecord claim) {
    if (count == found.length) {
      resize(count * 2);
    }
    int at = count * LONGS;
    longs[at] = hash.first();
    longs[at + 1] = hash.second();
    longs[at + 2] = expiresAt;
    longs[at + 3] = what;
    longs[at + 4] = token;
    longs[at + 5] = where;
    claims[count] = claim;
    found[count] = isFound;
    count++;
  }

  private void resize(int size) {
    long[] moreLongs = Arrays.copyOf(longs, size * LONGS);
    @Nullable ClaimRecord[] moreClaims = Arrays.copyOf(claims, size);
    found = Arrays.copyOf(found, size);
    longs = moreLongs;
    claims = moreClaims;
  }

  /** Tells the changes, the last one first, and forgets them. */
  void undo(Undo undo) {
    recording = false;
    for (int i = count - 1; i >= 0; i--) {
      int at = i * LONGS;
      Hash hash = new Hash(longs[at], longs[at + 1]);
      undo.entry(
          hash, found[i], longs[at + 2], longs[at + 3], longs[at + 4], longs[at + 5], claims[i]);
    }
    end();
  }
}
