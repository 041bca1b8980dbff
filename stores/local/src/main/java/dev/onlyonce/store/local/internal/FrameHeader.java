package dev.onlyonce.store.local.internal;

import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What stands before the entries that were written together.
 *
 * @param bodyBytes of the entries
 * @param sequence counted through all segments
 * @param synced the number of the last frame that was known to be synced when this was written
 * @param micros the store's time
 */
record FrameHeader(int bodyBytes, long sequence, long synced, long micros) {

  static final int BYTES = 40;
  private static final int MAGIC = 0x4D41_5246; // "FRAM", little-endian

  /** Writes it over these bytes. */
  void write(Bytes out, int at, long storeId) {
    out.setInt(at, MAGIC);
    out.setInt(at + 4, bodyBytes);
    out.setLong(at + 8, sequence);
    out.setLong(at + 16, synced);
    out.setLong(at + 24, micros);
    out.setLong(at + 32, storeId);
    out.setInt(at + 32, out.crc(at, at + BYTES));
    out.setInt(at + 36, 0);
  }

  /**
   * Reads one; returns null if there is none. The checksum covers the store's id, so that no bytes
   * which a user had stored can pass for a frame.
   */
  static @Nullable FrameHeader read(byte[] array, int at, int limit, long storeId) {
    if (limit - at < BYTES || Bytes.getInt(array, at) != MAGIC) {
      return null;
    }
    int bodyBytes = Bytes.getInt(array, at + 4);
    Bytes copy = new Bytes(BYTES);
    int start = copy.skip(BYTES);
    System.arraycopy(array, at, copy.array(), start, BYTES);
    copy.setLong(32, storeId);
    if (copy.crc(0, BYTES) != Bytes.getInt(array, at + 32)
        || Bytes.getInt(array, at + 36) != 0
        || bodyBytes < 0
        || (bodyBytes & 7) != 0) {
      return null;
    }
    return new FrameHeader(
        bodyBytes,
        Bytes.getLong(array, at + 8),
        Bytes.getLong(array, at + 16),
        Bytes.getLong(array, at + 24));
  }

  /** Tells whether all entries of the body are as they were written. */
  boolean isBodyWhole(byte[] array, int at, int limit) {
    int end = at + BYTES + bodyBytes;
    if (bodyBytes > limit - at - BYTES) {
      return false;
    }
    CRC32C crc = new CRC32C();
    int entry = at + BYTES;
    while (entry < end) {
      int length = EntryCodec.lengthAt(array, entry, end);
      if (length < 0 || !EntryCodec.isWhole(crc, array, entry, length)) {
        return false;
      }
      entry += length;
    }
    return true;
  }
}
