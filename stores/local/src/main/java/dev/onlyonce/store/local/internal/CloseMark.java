package dev.onlyonce.store.local.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.zip.CRC32C;

/**
 * Where the log ended when the store was closed, in the file {@code closed}. A log that ends before
 * was cut short by somebody and not by a crash, since all of it had been synced.
 *
 * <p>It is never synced and never deleted: one that was lost or torn tells nothing, and one of an
 * earlier time tells less.
 */
final class CloseMark {

  private static final String FILE = "closed";
  private static final int VERSION = 1;
  private static final int BYTES = 32;
  private static final long MAGIC = 0x64_6E_45_65_63_6E_4FL; // "OnceEnd"

  private CloseMark() {}

  /** Says that all frames up to this one are synced. */
  static void write(Disk disk, long storeId, long frame) throws IOException {
    Bytes out = new Bytes(BYTES);
    out.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(storeId).putLong(frame);
    out.setInt(12, out.crc(16, BYTES));
    disk.delete(FILE);
    try (Disk.Data data = disk.create(FILE)) {
      data.write(ByteBuffer.wrap(out.array(), 0, BYTES), 0);
    }
  }

  /** Returns the number of a frame that was synced; 0 if nothing is known. */
  static long read(Disk disk, long storeId) throws IOException {
    if (!disk.list().contains(FILE)) {
      return 0;
    }
    byte[] bytes = new byte[BYTES];
    try (Disk.Data data = disk.open(FILE)) {
      data.read(ByteBuffer.wrap(bytes), 0);
    } catch (NoSuchFileException e) {
      return 0; // a writer that closes is replacing it
    }
    boolean isWhole =
        Bytes.getLong(bytes, 0) == MAGIC
            && Bytes.getInt(bytes, 8) == VERSION
            && Bytes.getLong(bytes, 16) == storeId
            && Bytes.crc(new CRC32C(), bytes, 16, BYTES) == Bytes.getInt(bytes, 12);
    return isWhole ? Bytes.getLong(bytes, 24) : 0;
  }
}
