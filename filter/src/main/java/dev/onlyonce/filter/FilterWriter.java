package dev.onlyonce.filter;

import dev.onlyonce.filter.internal.Blocks;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Writes a filter. Each checksum covers everything from the first byte to the one before it, so
 * that parts cannot be swapped either.
 */
final class FilterWriter {

  private static final int BUFFER = 1 << 16;

  private final OutputStream out;
  private final CRC32C checksum = new CRC32C();
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).order(ByteOrder.LITTLE_ENDIAN);

  FilterWriter(OutputStream out, FilterHeader header) throws IOException {
    this.out = out;
    buffer
        .put(FilterHeader.MAGIC)
        .putInt(FilterHeader.FORMAT)
        .putInt(header.kind().code)
        .putLong(header.seed())
        .putDouble(header.errorRate())
        .putLong(header.keys())
        .putLong(header.more())
        .putLong(header.windowMillis())
        .putInt(header.filters());
    seal();
  }

  void slice(long period, int left, Blocks blocks) throws IOException {
    buffer
        .putLong(period)
        .putInt(left)
        .putInt(blocks.geometry().blocks())
        .putInt(blocks.geometry().bitsPerLane());
    seal();
    blocks.copyTo(
        lane -> {
          if (buffer.remaining() < 2 * Long.BYTES) {
            flush();
          }
          buffer.putLong(lane);
        });
    seal();
  }

  private void seal() throws IOException {
    flush();
    buffer.putInt((int) checksum.getValue());
    flush();
  }

  private void flush() throws IOException {
    checksum.update(buffer.array(), 0, buffer.position());
    out.write(buffer.array(), 0, buffer.position());
    buffer.clear();
  }
}
