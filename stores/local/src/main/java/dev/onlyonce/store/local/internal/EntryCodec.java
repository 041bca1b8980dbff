package dev.onlyonce.store.local.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.io.IOException;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Writes and reads the entries of one segment; docs/formats/local.md draws them. Moments are kept
 * as distances from the segment's base time, scopes and owners as numbers that the segment names
 * before it uses them. Not safe for use by several threads.
 */
final class EntryCodec {

  /** Length and checksum, before every entry. */
  static final int HEADER = 8;

  private static final int NAME = 1;
  private static final int PUT = 2;
  private static final int NOTE = 3;
  private static final int FLOOR = 4;
  private static final int END = 5;

  private final long baseMillis;
  private final Names names;
  private final LoggedRecord record;

  EntryCodec(long baseMillis, Names names) {
    this.baseMillis = baseMillis;
    this.names = names;
    this.record = new LoggedRecord(baseMillis, names);
  }

  /** Adds a note. */
  void writeNote(Bytes out, String name, byte[] value) {
    int start = begin(out);
    byte[] bytes = name.getBytes(UTF_8);
    out.putByte(NOTE).putVar(bytes.length).put(bytes);
    out.putVar(value.length).put(value);
    finish(out, start);
  }

  /** Adds the largest token that was forgotten. */
  void writeFloor(Bytes out, long token) {
    int start = begin(out);
    out.putByte(FLOOR).putLong(token);
    finish(out, start);
  }

  /** Adds that the log goes on in the next segment. */
  void writeEnd(Bytes out) {
    int start = begin(out);
    out.putByte(END);
    finish(out, start);
  }

  private static int begin(Bytes out) {
    return out.skip(HEADER);
  }

  private static int finish(Bytes out, int start) {
    out.align(start);
    out.setInt(start, out.end() - start);
    out.setInt(start + 4, out.crc(start + HEADER, out.end()));
    return start;
  }

  /** Returns the length of the entry here, -1 if it cannot be one. */
  static int lengthAt(byte[] array, int at, int limit) {
    if (limit - at < HEADER) {
      return -1;
    }
    int length = Bytes.getInt(array, at);
    return length <= HEADER || (length & 7) != 0 || length > limit - at ? -1 : length;
  }

  /** Tells whether the entry has its checksum. */
  static boolean isWhole(CRC32C crc, byte[] array, int at, int length) {
    return Bytes.crc(crc, array, at + HEADER, at + length) == Bytes.getInt(array, at + 4);
  }

  private int number(Bytes out, String name) {
    int number = names.number(name);
    if (number < 0) {
      number = names.add(name);
      byte[] bytes = name.getBytes(UTF_8);
      int start = begin(out);
      out.putByte(NAME).putVar(bytes.length).put(bytes);
      finish(out, start);
    }
    return number;
  }

  /** Adds a claim record, after the names that it needs; returns where it starts. */
  int writeRecord(Bytes out, ClaimRecord record) {
    int scope = number(out, record.scope().name());
    int owner = number(out, record.owner());
    int start = begin(out);
    out.putByte(PUT).putByte(record.state().code()).putByte(record.lapse().code());
    out.putByte(flags(record));
    out.putLong(record.requestId());
    out.putVar(scope).putVar(owner).putVar(record.attempt());
    out.putSigned(record.token() - baseMillis * 1_000);
    out.putSigned(record.updatedAtMillis() - baseMillis);
    out.putSigned(record.updatedAtMillis() - record.createdAtMillis());
    out.putSigned(until(record) - record.updatedAtMillis());
    if (record.notBeforeMillis() != 0) {
      out.putSigned(record.notBeforeMillis() - record.updatedAtMillis());
    }
    putKey(out, Objects.requireNonNull(record.key(), "a logged record has its key"));
    if (record.fingerprint() != null) {
      putBytes(out, record.fingerprint().toBytes());
    }
    if (record.result() instanceof Result.Value value) {
      putBytes(out, value.type().getBytes(UTF_8));
      putBytes(out, value.bytes());
    }
    if (record.checkpoint() != null) {
      putBytes(out, record.checkpoint());
    }
    return finish(out, start);
  }

  private static int flags(ClaimRecord record) {
    return (record.fingerprint() == null ? 0 : LoggedRecord.HAS_FINGERPRINT)
        | (record.checkpoint() == null ? 0 : LoggedRecord.HAS_CHECKPOINT)
        | (record.result() instanceof Result.Value ? LoggedRecord.HAS_VALUE : 0)
        | (record.result() instanceof Result.NotKept ? LoggedRecord.NOT_KEPT : 0)
        | (record.notBeforeMillis() == 0 ? 0 : LoggedRecord.HAS_NOT_BEFORE);
  }

  /** A record has a lease or an expiry, never both. */
  private static long until(ClaimRecord record) {
    return record.state().isSettled() ? record.expiresAtMillis() : record.leaseUntilMillis();
  }

  private static void putKey(Bytes out, Key key) {
    out.putVar(key.length());
    int at = out.skip(key.length());
    key.copyTo(out.array(), at);
  }

  private static void putBytes(Bytes out, byte[] bytes) {
    out.putVar(bytes.length).put(bytes);
  }

  /** Shows an entry to whom it may concern; names are remembered. */
  void read(byte[] array, int from, int to, LogReader reader, long position)
      throws Malformed, IOException {
    int kind = to - from <= HEADER ? 0 : array[from + HEADER];
    if (kind == PUT) {
      record.read(array, from + HEADER + 1, to);
      reader.record(record, position);
      return;
    }
    Cursor in = new Cursor(array, from + HEADER, to);
    in.getByte();
    switch (kind) {
      case NAME -> names.add(text(in));
      case NOTE -> reader.note(text(in), in.get(in.getSize()));
      case FLOOR -> reader.floor(in.getLong());
      case END -> reader.end();
      default -> throw new Malformed("is of kind " + kind + ", which this version does not know");
    }
  }

  /** Reads the claim record that begins here. */
  ClaimRecord readRecord(byte[] array, int from, int to) throws Malformed {
    if (to - from <= HEADER || array[from + HEADER] != PUT) {
      throw new Malformed("is not a record, which is expected here");
    }
    record.read(array, from + HEADER + 1, to);
    return record.record();
  }

  private static String text(Cursor in) throws Malformed {
    return new String(in.get(in.getSize()), UTF_8);
  }
}
