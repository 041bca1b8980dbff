package dev.onlyonce.filter;

import dev.onlyonce.filter.internal.Blocks;
import dev.onlyonce.filter.internal.Geometry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Reads what {@link FilterWriter} wrote. Nothing is allocated by a number that is not checked. */
final class FilterReader {

  private static final int BUFFER = 1 << 16;

  private final InputStream in;
  private final CRC32C checksum = new CRC32C();
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
  private final FilterHeader header;

  /**
   * What stands before the bits of a slice.
   *
   * @param left how many slices of the same filter come after it
   */
  record SliceHead(long period, int left, Geometry geometry) {}

  FilterReader(InputStream in, FilterKind wanted) throws IOException {
    this.in = in;
    fill(FilterHeader.MAGIC.length + Integer.BYTES);
    byte[] magic = new byte[FilterHeader.MAGIC.length];
    buffer.get(magic);
    if (!Arrays.equals(magic, FilterHeader.MAGIC)) {
      throw new FilterFormatException("this is no saved filter");
    }
    int format = buffer.getInt();
    if (format < 1) {
      throw new FilterFormatException("the saved filter is damaged: its format is " + format);
    }
    if (format > FilterHeader.FORMAT) {
      throw new FilterFormatException(
          "the filter is of format %d, this version reads format %d; use a newer one"
              .formatted(format, FilterHeader.FORMAT));
    }
    fill(FilterHeader.BYTES - FilterHeader.MAGIC.length - 2 * Integer.BYTES);
    int kind = buffer.getInt();
    long seed = buffer.getLong();
    double errorRate = buffer.getDouble();
    long keys = buffer.getLong();
    long more = buffer.getLong();
    long windowMillis = buffer.getLong();
    int filters = buffer.getInt();
    checkSeal();
    if (kind != wanted.code) {
      throw new FilterFormatException(
          "the filter must be of kind %d (%s), was %d".formatted(wanted.code, wanted, kind));
    }
    header = new FilterHeader(wanted, seed, errorRate, keys, more, windowMillis, filters);
  }

  FilterHeader header() {
    return header;
  }

  SliceHead slice() throws IOException {
    fill(FilterHeader.SLICE_BYTES - Integer.BYTES);
    long period = buffer.getLong();
    int left = buffer.getInt();
    int blocks = buffer.getInt();
    int bitsPerLane = buffer.getInt();
    checkSeal();
    return new SliceHead(period, left, new Geometry(blocks, bitsPerLane));
  }

  void bits(Blocks blocks) throws IOException {
    long left = blocks.bitBytes();
    buffer.limit(0);
    long[] leftBytes = {left};
    blocks.copyFrom(
        () -> {
          if (!buffer.hasRemaining()) {
            fill((int) Math.min(BUFFER, leftBytes[0]));
            leftBytes[0] -= buffer.limit();
          }
          return buffer.getLong();
        });
    checkSeal();
  }

  private void checkSeal() throws IOException {
    int expected = (int) checksum.getValue();
    fill(Integer.BYTES);
    if (buffer.getInt() != expected) {
      throw new FilterFormatException("the saved filter is damaged: a checksum is wrong");
    }
  }

  private void fill(int bytes) throws IOException {
    int read = in.readNBytes(buffer.array(), 0, bytes);
    if (read < bytes) {
      throw new FilterFormatException("the saved filter is cut short");
    }
    checksum.update(buffer.array(), 0, bytes);
    buffer.position(0).limit(bytes);
  }
}
