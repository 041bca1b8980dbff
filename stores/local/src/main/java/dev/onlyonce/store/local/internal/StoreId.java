package dev.onlyonce.store.local.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What was decided when a store was made, in the file {@code store}.
 *
 * @param id told apart from other stores by it
 * @param k0 first half of the secret by which keys are hashed
 * @param k1 second half
 */
record StoreId(long id, long k0, long k1) {

  static final String FILE = "store";
  private static final String UNFINISHED = "store.new";
  private static final int VERSION = 1;
  private static final int BYTES = 48;
  private static final long MAGIC = 0x6F_74_53_65_63_6E_4FL; // "OnceSto"

  static StoreId random() {
    SecureRandom random = new SecureRandom();
    return new StoreId(random.nextLong(), random.nextLong(), random.nextLong());
  }

  /** Writes it so that it is there completely, or not at all. */
  void write(Disk disk) throws IOException {
    Bytes out = new Bytes(BYTES);
    out.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(id).putLong(k0).putLong(k1).putLong(0);
    out.setInt(12, out.crc(16, BYTES));
    disk.delete(UNFINISHED);
    try (Disk.Data data = disk.create(UNFINISHED)) {
      data.write(ByteBuffer.wrap(out.array(), 0, BYTES), 0);
      data.sync();
    }
    disk.rename(UNFINISHED, FILE);
    disk.sync();
  }

  /**
   * Reads that of a store; returns null if there is no store.
   *
   * @throws DamagedException if it has lost its log
   */
  static @Nullable StoreId of(Disk disk) throws IOException {
    StoreId id = read(disk);
    if (id != null && disk.list().stream().noneMatch(Segment::isSegment)) {
      throw new DamagedException(
          FILE, 0, "there is no log beside it, which has all that the store knows");
    }
    return id;
  }

  /** There is a log, but not what it belongs to. */
  static DamagedException missing() {
    return new DamagedException(FILE, 0, "it is missing, but there is a log");
  }

  /** Reads it; returns null if there is none. */
  private static @Nullable StoreId read(Disk disk) throws IOException {
    if (!disk.list().contains(FILE)) {
      return null;
    }
    byte[] bytes = new byte[BYTES];
    int length;
    try (Disk.Data data = disk.open(FILE)) {
      length = data.read(ByteBuffer.wrap(bytes), 0);
    }
    if (length >= 12 && Bytes.getLong(bytes, 0) == MAGIC && Bytes.getInt(bytes, 8) > VERSION) {
      throw new NewerFormatException(FILE, Bytes.getInt(bytes, 8), VERSION);
    }
    byte[] whole = Arrays.copyOf(bytes, BYTES);
    if (length != BYTES
        || Bytes.getLong(bytes, 0) != MAGIC
        || Bytes.getInt(bytes, 8) != VERSION
        || Bytes.crc(new CRC32C(), whole, 16, BYTES) != Bytes.getInt(bytes, 12)) {
      throw new DamagedException(FILE, 0, "it is not what a store begins with");
    }
    return new StoreId(
        Bytes.getLong(bytes, 16), Bytes.getLong(bytes, 24), Bytes.getLong(bytes, 32));
  }
}
