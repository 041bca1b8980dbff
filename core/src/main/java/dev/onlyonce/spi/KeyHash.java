package dev.onlyonce.spi;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;

/**
 * A keyed 128-bit hash by which a store can tell scope and key apart without keeping them.
 *
 * <p><b>Guarantee.</b> Whoever does not know the secret cannot find two inputs with one hash; by
 * chance, among a billion keys the odds are below 2 in 10<sup>21</sup>. Each scope has a secret of
 * its own, derived from this one, by which its keys are hashed.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <p>Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), SipHash-2-4 with the
 * 128-bit output of its reference implementation.
 */
public final class KeyHash {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long k0;
  private final long k1;

  /** Makes a hash with this secret of 16 random bytes, as two little-endian numbers. */
  public KeyHash(long k0, long k1) {
    this.k0 = k0;
    this.k1 = k1;
  }

  /** Makes a hash with a new secret. */
  public static KeyHash random() {
    SecureRandom random = new SecureRandom();
    return new KeyHash(random.nextLong(), random.nextLong());
  }

  /** 128 bits, as the first and the second eight bytes of the output, little-endian. */
  public record Hash(long first, long second) {}

  /**
   * Returns the hash for the keys of one scope: its secret is this one's hash of the scope's name.
   */
  public KeyHash within(Scope scope) {
    byte[] name = scope.name().getBytes(ISO_8859_1);
    Hash secret = of(name, 0, name.length);
    return new KeyHash(secret.first(), secret.second());
  }

  /** Returns the hash of a scope and a key. */
  public Hash of(Scope scope, Key key) {
    return within(scope).of(key);
  }

  /** Returns the hash of a key, in the scope that this hash is for. */
  public Hash of(Key key) {
    SipHash state = new SipHash(k0, k1);
    int length = key.length();
    int offset = 0;
    for (; offset <= length - 8; offset += 8) {
      state.add(key.wordAt(offset));
    }
    state.add(key.wordAt(offset) | (long) length << 56);
    return state.end();
  }

  /** Returns the hash of a range of these bytes. */
  public Hash of(byte[] bytes, int offset, int length) {
    SipHash state = new SipHash(k0, k1);
    int end = offset + length;
    for (; offset <= end - 8; offset += 8) {
      state.add((long) LONGS.get(bytes, offset));
    }
    long last = (long) length << 56;
    for (int i = end - offset - 1; i >= 0; i--) {
      last |= (bytes[offset + i] & 0xFFL) << (8 * i);
    }
    state.add(last);
    return state.end();
  }

  /** The state of one computation. */
  private static final class SipHash {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    SipHash(long k0, long k1) {
      v0 = k0 ^ 0x736f6d6570736575L;
      v1 = k1 ^ 0x646f72616e646f6dL ^ 0xee;
      v2 = k0 ^ 0x6c7967656e657261L;
      v3 = k1 ^ 0x7465646279746573L;
    }

    void add(long word) {
      v3 ^= word;
      rounds(2);
      v0 ^= word;
    }

    Hash end() {
      v2 ^= 0xee;
      rounds(4);
      long first = v0 ^ v1 ^ v2 ^ v3;
      v1 ^= 0xdd;
      rounds(4);
      return new Hash(first, v0 ^ v1 ^ v2 ^ v3);
    }

    private void rounds(int count) {
      for (int i = 0; i < count; i++) {
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 = Long.rotateLeft(v0, 32) + v3;
        v2 += v1;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
      }
    }
  }
}
