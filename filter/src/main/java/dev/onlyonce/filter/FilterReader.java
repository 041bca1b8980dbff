package dev.onlyonce.filter;

import dev.onlyonce.filter.internal.Blocks;
import dev.onlyonce.filter.internal.Geometry;
import dev.onlyonce.filter.internal.Memory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Reads what {@link FilterWriter} wrote. No number is believed before its checksum was compared,
 * and no size before a part of what it announces is there.
 */
final class FilterReader {

  private static final int BUFFER = 1 << 16;

  /** As much of a slice must be there before room is made for all of it. */
  private static final int AHEAD = 1 << 24;

  private final InputStream in;
  private final Memory memory;
  private final CRC32C checksum = new CRC32C();
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
  private final FilterHeader header;

  /**
   * What stands before the bits of a slice.
   *
   * @param left how many slices of the same filter come after it
   */
  record SliceHead(long period, int left, Geometry geometry) {}

  FilterReader(InputStream in, FilterKind wanted, Memory memory) throws IOException {
    this.in = in;
    this.memory = memory;
    readFormat();
    fill(FilterHeader.BYTES - FilterHeader.MAGIC.length - 2 * Integer.BYTES);
    int kind = buffer.getInt();
    header =
        new FilterHeader(
            wanted,
            buffer.getLong(),
            buffer.getDouble(),
            buffer.getLong(),
            buffer.getLong(),
            buffer.getLong(),
            buffer.getInt());
    checkSeal();
    if (kind != wanted.code) {
      throw new FilterFormatException(
          "the filter must be of kind %d (%s), was %d".formatted(wanted.code, wanted, kind));
    }
    check(header.isSound());
  }

  private void readFormat() throws IOException {
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
  }

  FilterHeader header() {
    return header;
  }

  Terms terms() {
    return new Terms(header.seed(), header.errorRate(), header.keys(), memory);
  }

  SliceHead slice() throws IOException {
    fill(FilterHeader.SLICE_BYTES - Integer.BYTES);
    long period = buffer.getLong();
    int left = buffer.getInt();
    int blocks = buffer.getInt();
    int bitsPerLane = buffer.getInt();
    checkSeal();
    check(left >= 0 && left < ScalableBloomFilter.MAX_SLICES);
    check(Geometry.isPossible(blocks, bitsPerLane));
    return new SliceHead(period, left, new Geometry(blocks, bitsPerLane));
  }

  /** Reads the bits of a slice, which will be full when so many are set. */
  Blocks blocks(Geometry geometry, long fullAt) throws IOException {
    byte[] ahead = in.readNBytes((int) Math.min(AHEAD, geometry.bytes()));
    if (ahead.length < Math.min(AHEAD, geometry.bytes())) {
      throw cutShort();
    }
    checksum.update(ahead);
    Blocks blocks = new Blocks(geometry, fullAt, memory);
    blocks.copyFrom(new Lanes(ahead, geometry.bytes()));
    checkSeal();
    return blocks;
  }

  /** First what was read ahead, then what the buffer gets. */
  private final class Lanes implements Blocks.Source {
    private ByteBuffer from;
    private long left;

    Lanes(byte[] ahead, long bytes) {
      from = ByteBuffer.wrap(ahead).order(ByteOrder.LITTLE_ENDIAN);
      left = bytes - ahead.length;
    }

    @Override
    public long next() throws IOException {
      if (!from.hasRemaining()) {
        fill((int) Math.min(BUFFER, left));
        left -= buffer.limit();
        from = buffer;
      }
      return from.getLong();
    }
  }

  private void checkSeal() throws IOException {
    int expected = (int) checksum.getValue();
    fill(Integer.BYTES);
    if (buffer.getInt() != expected) {
      throw new FilterFormatException("the saved filter is damaged: a checksum is wrong");
    }
  }

  /** For numbers with the right checksum which no filter has. */
  static void check(boolean sound) {
    if (!sound) {
      throw new FilterFormatException("the saved filter is damaged: it has impossible numbers");
    }
  }

  private static FilterFormatException cutShort() {
    return new FilterFormatException("the saved filter is cut short");
  }

  private void fill(int bytes) throws IOException {
    if (in.readNBytes(buffer.array(), 0, bytes) < bytes) {
      throw cutShort();
    }
    checksum.update(buffer.array(), 0, bytes);
    buffer.position(0).limit(bytes);
  }
}
