package dev.onlyonce.store.local.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

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

  private static final int HAS_FINGERPRINT = 1;
  private static final int HAS_CHECKPOINT = 2;
  private static final int HAS_VALUE = 4;
  private static final int NOT_KEPT = 8;
  private static final int HAS_NOT_BEFORE = 16;

  private final long baseMillis;
  private final Names names;

  EntryCodec(long baseMillis, Names names) {
    this.baseMillis = baseMillis;
    this.names = names;
  }

  /** Adds an entry, after the names that it needs; returns where it starts. */
  int write(Bytes out, Entry entry) {
    if (entry instanceof Entry.Put put) {
      return writePut(out, put.record());
    }
    int start = begin(out);
    if (entry instanceof Entry.Note note) {
      byte[] name = note.name().getBytes(UTF_8);
      out.putByte(NOTE).putVar(name.length).put(name);
      out.putVar(note.value().length).put(note.value());
    } else if (entry instanceof Entry.Floor floor) {
      out.putByte(FLOOR).putLong(floor.token());
    } else {
      out.putByte(END);
    }
    return finish(out, start);
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

  private int writePut(Bytes out, ClaimRecord record) {
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
    return (record.fingerprint() == null ? 0 : HAS_FINGERPRINT)
        | (record.checkpoint() == null ? 0 : HAS_CHECKPOINT)
        | (record.result() instanceof Result.Value ? HAS_VALUE : 0)
        | (record.result() instanceof Result.NotKept ? NOT_KEPT : 0)
        | (record.notBeforeMillis() == 0 ? 0 : HAS_NOT_BEFORE);
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

  /** Reads the entry between these places; returns null for a name, which is remembered. */
  @Nullable Entry read(byte[] array, int from, int to) throws Malformed {
    Cursor in = new Cursor(array, from + HEADER, to);
    int kind = in.getByte();
    return switch (kind) {
      case NAME -> {
        names.add(text(in));
        yield null;
      }
      case PUT -> new Entry.Put(readPut(in));
      case NOTE -> new Entry.Note(text(in), in.get(in.getSize()));
      case FLOOR -> new Entry.Floor(in.getLong());
      case END -> new Entry.End();
      default -> throw new Malformed("is of kind " + kind + ", which this version does not know");
    };
  }

  private ClaimRecord readPut(Cursor in) throws Malformed {
    ClaimState state = ClaimState.ofCode(in.getByte());
    Lapse lapse = Lapse.ofCode(in.getByte());
    int flags = in.getByte();
    long requestId = in.getLong();
    Scope scope = names.scope(in.getVar());
    String owner = names.name(in.getVar());
    int attempt = (int) in.getVar();
    long token = in.getSigned() + baseMillis * 1_000;
    long updatedAt = in.getSigned() + baseMillis;
    long createdAt = updatedAt - in.getSigned();
    long until = in.getSigned() + updatedAt;
    long notBefore = (flags & HAS_NOT_BEFORE) == 0 ? 0 : in.getSigned() + updatedAt;
    Key key = Key.fromStored(in.get(in.getSize()));
    Fingerprint fingerprint =
        (flags & HAS_FINGERPRINT) == 0 ? null : Fingerprint.ofBytes(in.get(in.getSize()));
    return new ClaimRecord(
        scope,
        key,
        state,
        token,
        requestId,
        attempt,
        state.isSettled() ? 0 : until,
        notBefore,
        state.isSettled() ? until : 0,
        lapse,
        fingerprint,
        result(in, flags),
        (flags & HAS_CHECKPOINT) == 0 ? null : in.get(in.getSize()),
        owner,
        createdAt,
        updatedAt);
  }

  private static Result result(Cursor in, int flags) throws Malformed {
    if ((flags & HAS_VALUE) != 0) {
      return new Result.Value(text(in), in.get(in.getSize()));
    }
    return (flags & NOT_KEPT) == 0 ? Result.NONE : Result.NOT_KEPT;
  }

  private static String text(Cursor in) throws Malformed {
    return new String(in.get(in.getSize()), UTF_8);
  }
}
