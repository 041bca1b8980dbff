package dev.onlyonce.store.local.internal;

import java.util.zip.CRC32C;

/**
 * One file of the log. Positions are counted through all segments, so a segment begins where the
 * one before it ended.
 */
final class Segment {

  static final int HEADER = 64;
  static final int VERSION = 1;
  private static final long MAGIC = 0x00_67_6F_4C_65_63_6E_4FL; // "OnceLog", little-endian

  final long base;
  final long firstFrame;
  final long floor;
  final long baseMillis;
  final Disk.Data data;
  final Names names = new Names();
  final EntryCodec codec;

  /** The offset behind the last frame. */
  long end = HEADER;

  /** How far the file has bytes, zeros or not. */
  long allocated = HEADER;

  /** How many keys have their current version here. */
  int live;

  /** How many claim records were written here. */
  int records;

  /** The time of the last frame, microseconds. */
  long lastMicros;

  /** The number of the last frame, 0 if there is none. */
  long lastFrame;

  boolean sealed;

  /** It is to be deleted, with all that belongs to it. */
  volatile boolean isDropped;

  private Segment(long base, long firstFrame, long floor, long baseMillis, Disk.Data data) {
    this.base = base;
    this.firstFrame = firstFrame;
    this.floor = floor;
    this.baseMillis = baseMillis;
    this.data = data;
    this.codec = new EntryCodec(baseMillis, names);
  }

  static String fileName(long base) {
    return "log-%016x".formatted(base);
  }

  String fileName() {
    return fileName(base);
  }

  static boolean isSegment(String fileName) {
    return fileName.matches("log-[0-9a-f]{16}");
  }

  static long baseOf(String fileName) {
    return Long.parseUnsignedLong(fileName.substring(4), 16);
  }

  /** Makes the segment and its header's bytes, which are not written yet. */
  static Segment begin(
      long storeId,
      long base,
      long firstFrame,
      long floor,
      long millis,
      Disk.Data data,
      Bytes header) {
    header.putLong(MAGIC).putInt(VERSION).putInt(0);
    header.putLong(storeId).putLong(base).putLong(firstFrame).putLong(floor).putLong(millis);
    header.putLong(0);
    header.setInt(12, header.crc(16, HEADER));
    return new Segment(base, firstFrame, floor, millis, data);
  }

  /**
   * Reads a header.
   *
   * @throws NewerFormatException if a newer version wrote it
   * @throws DamagedException if it is none
   */
  static Segment read(byte[] header, int length, long storeId, long base, Disk.Data data)
      throws NewerFormatException, DamagedException {
    boolean isHeader = length == HEADER && Bytes.getLong(header, 0) == MAGIC;
    int version = Bytes.getInt(header, 8);
    if (isHeader && version > VERSION) {
      throw new NewerFormatException(fileName(base), version, VERSION);
    }
    if (!isHeader
        || version != VERSION
        || Bytes.crc(new CRC32C(), header, 16, HEADER) != Bytes.getInt(header, 12)
        || Bytes.getLong(header, 16) != storeId
        || Bytes.getLong(header, 24) != base) {
      throw new DamagedException(fileName(base), 0, "it does not begin as a segment does");
    }
    return new Segment(
        base,
        Bytes.getLong(header, 32),
        Bytes.getLong(header, 40),
        Bytes.getLong(header, 48),
        data);
  }

  /** Returns the position behind the last frame. */
  long endPosition() {
    return base + end;
  }

  boolean contains(long position) {
    return position >= base && position < base + end;
  }
}
