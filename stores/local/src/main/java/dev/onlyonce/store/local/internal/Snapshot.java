package dev.onlyonce.store.local.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.KeyHash;
import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * What a sealed segment comes to, in a file beside it: its keys' last versions as the index has
 * them, and its names and notes. Loading it takes a fraction of reading the segment. It may be
 * missing, unfinished or damaged: then the segment is read, and the snapshot is written anew.
 */
final class Snapshot {

  private static final String PREFIX = "snap-";
  private static final int VERSION = 1;
  private static final long MAGIC = 0x70_61_6E_53_65_63_6E_4FL; // "OnceSnap", little-endian
  private static final int CHECKED_FROM = 16;
  private static final int MIN_BYTES = 96;

  private final Disk disk;
  private final StoreId id;

  Snapshot(Disk disk, StoreId id) {
    this.disk = disk;
    this.id = id;
  }

  static String fileName(long base) {
    return PREFIX + "%016x".formatted(base);
  }

  /** Deletes what a crash has left of segments that were dropped. */
  static void deleteWithoutSegment(Disk disk) throws IOException {
    List<String> files = disk.list();
    for (String file : files) {
      if (file.matches(PREFIX + "[0-9a-f]{16}(\\.new)?")
          && !files.contains("log-" + file.substring(PREFIX.length()))) {
        disk.delete(file);
      }
    }
  }

  /** Writes the snapshot of a sealed segment, which is read for that. */
  void write(Log log, Segment segment) throws IOException {
    Contents contents = new Contents(segment);
    log.scan(segment, contents);
    Bytes out = new Bytes(1 << 16);
    out.putLong(MAGIC).putInt(VERSION).putInt(0);
    out.putLong(id.id()).putLong(segment.base).putLong(segment.end);
    out.putLong(segment.lastFrame).putLong(segment.lastMicros).putLong(contents.floor);
    out.putLong(contents.records).putLong(contents.index.size());
    out.putVar(segment.names.size());
    for (int i = 0; i < segment.names.size(); i++) {
      putBytes(out, segment.names.get(i).getBytes(UTF_8));
    }
    out.putVar(contents.notes.size());
    contents.notes.forEach(
        (name, value) -> {
          putBytes(out, name.getBytes(UTF_8));
          putBytes(out, value);
        });
    out.align(0);
    contents.index.export(out, scope -> segment.names.number(scope.name()));
    out.setInt(12, out.crc(CHECKED_FROM, out.end()));
    String name = fileName(segment.base);
    write(name, out);
    if (segment.isDropped) {
      disk.delete(name); // it was dropped meanwhile
    }
  }

  /** What a segment says, by itself. */
  private final class Contents implements LogReader {
    final Map<String, byte[]> notes = new TreeMap<>();
    final Index index;
    long floor;
    int records;

    Contents(Segment segment) {
      floor = segment.floor;
      index =
          new Index(
              new KeyHash(id.k0(), id.k1()),
              position -> {
                throw new IllegalStateException("a snapshot reads no record alone");
              },
              (position, change) -> {});
    }

    @Override
    public void record(LoggedRecord record, long position) throws Malformed {
      records++;
      index.put(index.hash(record), record, position);
    }

    @Override
    public void note(String name, byte[] value) {
      notes.put(name, value);
    }

    @Override
    public void floor(long token) {
      floor = Math.max(floor, token);
    }
  }

  private static void putBytes(Bytes out, byte[] bytes) {
    out.putVar(bytes.length).put(bytes);
  }

  private void write(String name, Bytes out) throws IOException {
    String unfinished = name + ".new";
    disk.delete(unfinished);
    try (Disk.Data data = disk.create(unfinished)) {
      data.write(ByteBuffer.wrap(out.array(), 0, out.end()), 0);
      data.sync();
    } catch (IOException e) {
      disk.delete(unfinished);
      throw e;
    }
    disk.rename(unfinished, name);
    disk.sync();
  }

  /** Returns about how many entries all snapshots have. */
  long entries() throws IOException {
    List<String> files = disk.list();
    long bytes = 0;
    for (String file : files) {
      String segment = "log-" + file.substring(Math.min(file.length(), PREFIX.length()));
      if (file.matches(PREFIX + "[0-9a-f]{16}") && files.contains(segment)) {
        long size = size(file);
        bytes += canBeOf(size(segment), size) ? size : 0;
      }
    }
    return bytes / Index.ENTRY_BYTES;
  }

  private long size(String file) throws IOException {
    try (Disk.Data data = disk.open(file)) {
      return data.size();
    }
  }

  /** An entry has 48 bytes; in the segment its record has 40 at least. */
  private static boolean canBeOf(long segmentBytes, long bytes) {
    return bytes <= 2 * segmentBytes;
  }

  /** Takes over what the snapshot says; returns false if there is none that can be used. */
  boolean load(Segment segment, LocalView view, Bytes buffer) throws IOException {
    String name = fileName(segment.base);
    if (!disk.list().contains(name)) {
      return false;
    }
    try (Disk.Data data = disk.open(name)) {
      if (!canBeOf(segment.data.size(), data.size())) {
        return false;
      }
      buffer.readAll(data);
    }
    byte[] bytes = buffer.array();
    if (!isOf(segment, bytes, buffer.end())) {
      return false;
    }
    try {
      segment.end = Bytes.getLong(bytes, 32);
      segment.lastFrame = Bytes.getLong(bytes, 40);
      segment.lastMicros = Bytes.getLong(bytes, 48);
      segment.records = (int) Bytes.getLong(bytes, 64);
      view.log.raiseFloor(Bytes.getLong(bytes, 56));
      int count = (int) Bytes.getLong(bytes, 72);
      Cursor in = new Cursor(bytes, 80, buffer.end());
      for (long i = in.getVar(); i > 0; i--) {
        segment.names.add(new String(in.get(in.getSize()), UTF_8));
      }
      for (long i = in.getVar(); i > 0; i--) {
        String note = new String(in.get(in.getSize()), UTF_8);
        view.notes.put(note, in.get(in.getSize()));
      }
      int entries = in.position() + 7 & ~7;
      segment.sealed = true;
      view.index.load(bytes, entries, buffer.end(), count, segment.names::scope);
      return true;
    } catch (Malformed | IllegalArgumentException e) {
      throw new DamagedException(
          name, 0, "it " + e.getMessage() + ", though its checksum is right");
    }
  }

  private boolean isOf(Segment segment, byte[] bytes, int length) {
    return isWhole(bytes, length)
        && Bytes.getLong(bytes, 16) == id.id()
        && Bytes.getLong(bytes, 24) == segment.base;
  }

  /** Tells whether this is all of a snapshot, as it was written. */
  static boolean isWhole(byte[] bytes, int length) {
    return length >= MIN_BYTES
        && Bytes.getLong(bytes, 0) == MAGIC
        && Bytes.getInt(bytes, 8) == VERSION
        && Bytes.crc(new CRC32C(), bytes, CHECKED_FROM, length) == Bytes.getInt(bytes, 12);
  }
}
