package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A record as bytes. All numbers are big-endian.
 *
 * <pre>
 *   0       head: state in bits 0-2; bit 3 parks; bit 4 has a fingerprint; bits 5-6 result: 0 none,
 *           1 not kept, 2 a value; bit 7 has details
 *   1   7   token
 *   8   6   CLAIMED: when the lease ends; settled: when it expires; all bits set: never
 *   14  6   when it was changed last
 *   20  2   attempts, at most 65,535
 *   22  8   request id
 *   30      fingerprint, if there is one: length (1), bytes
 *           details, if there are any:
 *             which (1): bit 0 checkpoint, bit 1 creation time, bit 2 not before
 *             key: length (2), bytes; owner: length (1), UTF-8
 *             not before (6), creation time (6), checkpoint: length (4), bytes, each if it is there
 *           value, if there is one: length of the type (2), UTF-8, and the rest is the result
 * </pre>
 *
 * <p>A DONE record has no details. docs/formats/redis.md is about the same bytes, and so are the
 * scripts.
 */
final class Packed {

  /** The largest token: numbers of scripts are exact up to here. */
  static final long MAX_TOKEN = (1L << 53) - 1;

  /** The largest time, which stands for never. */
  static final long NEVER = (1L << 48) - 1;

  /** The most attempts that are told apart. */
  static final int MAX_ATTEMPTS = 0xFFFF;

  /** The longest owner's name, in bytes. */
  static final int MAX_OWNER = 255;

  static final int PARK = 1 << 3;
  static final int COMPARED = 1 << 4;
  static final int NOT_KEPT = 1 << 5;
  static final int VALUE = 2 << 5;
  static final int DETAILS = 1 << 7;
  private static final int STATE = 0b111;
  private static final int RESULT = 0b11 << 5;

  private static final int CHECKPOINT = 1;
  private static final int CREATED = 1 << 1;
  private static final int NOT_BEFORE = 1 << 2;

  private static final byte[] NOTHING = {};

  private Packed() {}

  /** Returns a head of a state and nothing else, with what a result needs. */
  static int head(ClaimState state, Result result) {
    int kind = result instanceof Result.Value ? VALUE : 0;
    return state.code() | (result instanceof Result.NotKept ? NOT_KEPT : kind);
  }

  /** Returns the head of the record that a request makes. */
  static int head(ClaimRequest request) {
    Result now = request.settleNow();
    int head =
        now == null
            ? ClaimState.CLAIMED.code() | DETAILS | (request.lapse() == Lapse.PARK ? PARK : 0)
            : head(ClaimState.DONE, now);
    return head | (request.fingerprint() == null ? 0 : COMPARED);
  }

  /** Returns a token as it stands in a record; for one that no record has, what none has. */
  static byte[] token(long token) {
    if (token < 0 || token > MAX_TOKEN) {
      return token(0);
    }
    return Arrays.copyOfRange(ByteBuffer.allocate(8).putLong(token).array(), 1, 8);
  }

  /** Returns what stands behind the times of the record that a request makes. */
  static byte[] body(ClaimRequest request, byte[] owner) {
    Fingerprint fingerprint = request.fingerprint();
    byte[] compared = fingerprint == null ? NOTHING : fingerprint.toBytes();
    Result now = request.settleNow();
    byte[] value = now == null ? NOTHING : value(now);
    int details = now == null ? 4 + request.key().length() + owner.length : 0;
    ByteBuffer body =
        ByteBuffer.allocate(11 + compared.length + details + value.length)
            .putShort((short) 1)
            .putLong(request.requestId());
    putCompared(body, compared);
    if (now == null) {
      putNames(body.put((byte) 0), request.key(), owner);
    }
    return written(body.put(value));
  }

  private static void putCompared(ByteBuffer body, byte[] compared) {
    if (compared.length > 0) {
      body.put((byte) compared.length).put(compared);
    }
  }

  private static void putNames(ByteBuffer body, Key key, byte[] owner) {
    body.putShort((short) key.length()).put(key.toBytes());
    body.put((byte) owner.length).put(owner);
  }

  private static byte[] written(ByteBuffer bytes) {
    byte[] written = new byte[bytes.position()];
    bytes.flip().get(written);
    return written;
  }

  /** Returns a result as it stands at the end of a record; nothing unless it is a value. */
  static byte[] value(Result result) {
    if (!(result instanceof Result.Value value)) {
      return NOTHING;
    }
    byte[] type = value.type().getBytes(UTF_8);
    return ByteBuffer.allocate(2 + type.length + value.bytes().length)
        .putShort((short) type.length)
        .put(type)
        .put(value.bytes())
        .array();
  }

  /** Returns a record that is not to be decided upon but kept as it is. */
  static byte[] of(ClaimRecord record, Key key) {
    Fingerprint fingerprint = record.fingerprint();
    byte[] compared = fingerprint == null ? NOTHING : fingerprint.toBytes();
    byte[] value = value(record.result());
    byte[] owner = owner(record.owner());
    byte[] checkpoint = record.checkpoint() == null ? NOTHING : record.checkpoint();
    boolean done = record.state() == ClaimState.DONE;
    int head =
        head(record.state(), record.result())
            | (compared.length == 0 ? 0 : COMPARED)
            | (done ? 0 : DETAILS | (record.lapse() == Lapse.PARK ? PARK : 0));
    long until =
        record.state() == ClaimState.CLAIMED ? record.leaseUntilMillis() : record.expiresAtMillis();
    ByteBuffer bytes =
        ByteBuffer.allocate(96 + key.length() + owner.length + value.length + checkpoint.length);
    bytes.put((byte) head).put(token(record.token()));
    putTime(bytes, until);
    putTime(bytes, record.updatedAtMillis());
    bytes.putShort((short) Math.min(record.attempt(), MAX_ATTEMPTS)).putLong(record.requestId());
    putCompared(bytes, compared);
    if (!done) {
      boolean deferred = record.state() == ClaimState.RELEASED;
      boolean saved = record.checkpoint() != null;
      bytes.put((byte) ((saved ? CHECKPOINT : 0) | CREATED | (deferred ? NOT_BEFORE : 0)));
      putNames(bytes, key, owner);
      if (deferred) {
        putTime(bytes, record.notBeforeMillis());
      }
      putTime(bytes, record.createdAtMillis());
      if (saved) {
        bytes.putInt(checkpoint.length).put(checkpoint);
      }
    }
    return written(bytes.put(value));
  }

  private static void putTime(ByteBuffer bytes, long millis) {
    long capped = Math.max(0, Math.min(millis, NEVER));
    bytes.putShort((short) (capped >>> 32)).putInt((int) capped);
  }

  /** Returns an owner's name as it stands in a record: cut, where it is too long. */
  static byte[] owner(String name) {
    byte[] bytes = name.getBytes(UTF_8);
    return bytes.length <= MAX_OWNER ? bytes : Arrays.copyOf(bytes, MAX_OWNER);
  }

  /** Returns the state of a record. */
  static ClaimState stateOf(byte[] record) {
    return ClaimState.ofCode(record[0] & STATE);
  }

  /**
   * Reads a record.
   *
   * @param known its key, null to take the one that is in the record, if there is one
   */
  static ClaimRecord read(byte[] record, Scope scope, @Nullable Key known) {
    ByteBuffer bytes = ByteBuffer.wrap(record);
    int head = bytes.get() & 0xFF;
    ClaimState state = ClaimState.ofCode(head & STATE);
    long token = (bytes.getInt() & 0xFFFFFFFFL) << 24;
    token |= (bytes.getShort() & 0xFFFFL) << 8;
    token |= bytes.get() & 0xFFL;
    long until = time(bytes);
    long updated = time(bytes);
    int attempt = bytes.getShort() & 0xFFFF;
    long requestId = bytes.getLong();
    // What stands behind, in a state that is not known, is not known either.
    boolean legible = state != ClaimState.UNKNOWN;
    Fingerprint fingerprint =
        legible && (head & COMPARED) != 0
            ? Fingerprint.ofBytes(bytes(bytes, bytes.get() & 0xFF))
            : null;
    Details details = legible && (head & DETAILS) != 0 ? details(bytes) : Details.NONE;
    Result result = legible ? result(head & RESULT, bytes) : Result.NONE;
    long created = details.created < 0 ? Math.min(token / 1_000, updated) : details.created;
    return new ClaimRecord(
        scope,
        known == null ? details.key : known,
        state,
        token,
        requestId,
        attempt,
        state == ClaimState.CLAIMED ? until : 0,
        details.notBefore,
        state.isSettled() ? until : 0,
        (head & PARK) == 0 ? Lapse.TAKE : Lapse.PARK,
        fingerprint,
        result,
        details.checkpoint,
        details.owner,
        created,
        updated);
  }

  private record Details(
      @Nullable Key key, String owner, long notBefore, long created, byte @Nullable [] checkpoint) {
    static final Details NONE = new Details(null, "", 0, -1, null);
  }

  private static Details details(ByteBuffer bytes) {
    int which = bytes.get();
    Key key = Key.fromStored(bytes(bytes, bytes.getShort() & 0xFFFF));
    String owner = new String(bytes(bytes, bytes.get() & 0xFF), UTF_8);
    long notBefore = (which & NOT_BEFORE) == 0 ? 0 : time(bytes);
    long created = (which & CREATED) == 0 ? -1 : time(bytes);
    byte[] checkpoint = (which & CHECKPOINT) == 0 ? null : bytes(bytes, bytes.getInt());
    return new Details(key, owner, notBefore, created, checkpoint);
  }

  private static Result result(int kind, ByteBuffer bytes) {
    if (kind == VALUE) {
      String type = new String(bytes(bytes, bytes.getShort() & 0xFFFF), UTF_8);
      return new Result.Value(type, bytes(bytes, bytes.remaining()));
    }
    return kind == 0 ? Result.NONE : Result.NOT_KEPT;
  }

  private static long time(ByteBuffer bytes) {
    long millis = (bytes.getShort() & 0xFFFFL) << 32 | (bytes.getInt() & 0xFFFFFFFFL);
    return millis == NEVER ? Long.MAX_VALUE : millis;
  }

  private static byte[] bytes(ByteBuffer bytes, int length) {
    byte[] read = new byte[length];
    bytes.get(read);
    return read;
  }
}
