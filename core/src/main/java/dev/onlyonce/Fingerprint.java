package dev.onlyonce;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A digest of a payload, by which a key that comes again with <em>another</em> payload is noticed.
 *
 * <p>Equal payloads must have equal fingerprints; whoever computes it decides what "equal" means
 * (the bytes, or for JSON the canonical form). A key without a fingerprint matches any.
 *
 * <p>Immutable and safe for use by several threads.
 */
public final class Fingerprint {

  /** The longest fingerprint, in bytes: that of SHA-256. */
  public static final int MAX_BYTES = 32;

  private final byte[] bytes;

  private Fingerprint(byte[] bytes) {
    if (bytes.length == 0 || bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "fingerprint must be 1 to 32 bytes, was " + bytes.length + ": use Fingerprint.sha256");
    }
    this.bytes = bytes;
  }

  /** Returns the SHA-256 (FIPS 180-4) of these bytes. */
  public static Fingerprint sha256(byte[] payload) {
    return new Fingerprint(sha256().digest(payload));
  }

  /**
   * Returns the fingerprint with these bytes, made by a digest that resists crafted collisions.
   *
   * @throws IllegalArgumentException if there are none or more than {@link #MAX_BYTES}
   */
  public static Fingerprint ofBytes(byte[] digest) {
    return new Fingerprint(digest.clone());
  }

  /** Returns a copy of the bytes. */
  public byte[] toBytes() {
    return bytes.clone();
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256, this one has not", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Fingerprint fingerprint && Arrays.equals(bytes, fingerprint.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Returns hexadecimal digits. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
