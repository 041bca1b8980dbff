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
 * chance, among a billion keys the odds are below 2 in 10<sup>21</sup>. Scope and key are hashed so
 * that different pairs are different input.
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

  /** Returns the hash of a scope and a key. */
  public Hash of(Scope scope, Key key) {
    String name = scope.name();
    byte[] scopeBytes = name.getBytes(ISO_8859_1);
    byte[] input = new byte[1 + scopeBytes.length + key.length()];
    input[0] = (byte) scopeBytes.length;
    System.arraycopy(scopeBytes, 0, input, 1, scopeBytes.length);
    key.copyTo(input, 1 + scopeBytes.length);
    return of(input, 0, input.length);
  }

  /** Returns the hash of a range of these bytes. */
  public Hash of(byte[] bytes, int offset, int length) {
    long v0 = k0 ^ 0x736f6d6570736575L;
    long v1 = k1 ^ 0x646f72616e646f6dL ^ 0xee;
    long v2 = k0 ^ 0x6c7967656e657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int whole = length & ~7;
    for (int i = 0; i <= whole; i += 8) {
      long word = i < whole ? (long) LONGS.get(bytes, offset + i) : last(bytes, offset + i, length);
      v3 ^= word;
      for (int round = 0; round < 2; round++) {
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
      v0 ^= word;
    }
    v2 ^= 0xee;
    long first = 0;
    for (int round = 0; round < 8; round++) {
      if (round == 4) {
        first = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xdd;
      }
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
    return new Hash(first, v0 ^ v1 ^ v2 ^ v3);
  }

  /** Returns the last word: the bytes that are left and, on top, the length modulo 256. */
  private static long last(byte[] bytes, int offset, int length) {
    long word = (long) length << 56;
    for (int i = (length & 7) - 1; i >= 0; i--) {
      word |= (bytes[offset + i] & 0xFFL) << (8 * i);
    }
    return word;
  }
}
