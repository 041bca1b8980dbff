package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
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
 *   14  4   how long before that it was changed: milliseconds; with the highest bit set, seconds,
 *           rounded up; with all bits set, it is not known
 *   18  2   attempts, at most 65,535
 *   20  2   number of the scope, 0 if it has none
 *   22  8   request id
 *   30      fingerprint, if there is one: length (1), bytes
 *           details, if there are any:
 *             which (1): bit 0 checkpoint, bit 1 creation time, bit 2 not before
 *             scope: length (1), ASCII; key: length (2), bytes; owner: length (1), UTF-8
 *             not before (6), creation time (6), checkpoint: length (4), bytes, each if it is there
 *           value, if there is one: length of the type (2), UTF-8, and the rest is the result
 * </pre>
 *
 * <p>A DONE record has no details. docs/formats/redis.md is about the same bytes, and so are the
 * scripts and {@link PackedReader}.
 */
final class Packed {

  /** The largest token: numbers of scripts are exact up to here. */
  static final long MAX_TOKEN = (1L << 53) - 1;

  /**
   * The largest token of a record that is put: tokens above it have room to grow, one a call, for
   * as long as anybody will call. In microseconds it is the year 2112.
   */
  static final long MAX_PUT_TOKEN = (1L << 52) - 1;

  /** The largest time, which stands for never. */
  static final long NEVER = (1L << 48) - 1;

  /** The most attempts that are told apart. */
  static final int MAX_ATTEMPTS = 0xFFFF;

  /** The longest owner's name, in bytes. */
  static final int MAX_OWNER = 255;

  static final int STATE = 0b111;
  static final int PARK = 1 << 3;
  static final int COMPARED = 1 << 4;
  static final int NOT_KEPT = 1 << 5;
  static final int VALUE = 2 << 5;
  static final int RESULT = 0b11 << 5;
  static final int DETAILS = 1 << 7;

  static final int CHECKPOINT = 1;
  static final int CREATED = 1 << 1;
  static final int NOT_BEFORE = 1 << 2;

  static final long IN_SECONDS = 1L << 31;
  static final long UNKNOWN_SPAN = 0xFFFF_FFFFL;

  private static final int FIXED = 30;
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
    byte[] bytes = new byte[7];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (token >>> (48 - 8 * i));
    }
    return bytes;
  }

  /** Returns what stands behind the times of the record that a request makes. */
  static byte[] body(ClaimRequest request, int scopeNumber, byte[] owner) {
    byte[] compared = bytes(request.fingerprint());
    Result now = request.settleNow();
    byte[] value = now == null ? NOTHING : value(now);
    int details = now == null ? 1 + names(request.scope(), request.key(), owner) : 0;
    int comparing = compared.length == 0 ? 0 : 1 + compared.length;
    ByteBuffer body =
        ByteBuffer.allocate(12 + comparing + details + value.length)
            .putShort((short) 1)
            .putShort((short) scopeNumber)
            .putLong(request.requestId());
    putCompared(body, compared);
    if (now == null) {
      putNames(body.put((byte) 0), request.scope(), request.key(), owner);
    }
    return body.put(value).array();
  }

  private static byte[] bytes(@Nullable Fingerprint fingerprint) {
    return fingerprint == null ? NOTHING : fingerprint.toBytes();
  }

  private static void putCompared(ByteBuffer body, byte[] compared) {
    if (compared.length > 0) {
      body.put((byte) compared.length).put(compared);
    }
  }

  private static int names(Scope scope, Key key, byte[] owner) {
    return 4 + scope.name().length() + key.length() + owner.length;
  }

  private static void putNames(ByteBuffer body, Scope scope, Key key, byte[] owner) {
    body.put((byte) scope.name().length()).put(scope.name().getBytes(US_ASCII));
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

  /** Returns an owner's name as it stands in a record: cut, where it is too long. */
  static byte[] owner(String name) {
    byte[] bytes = name.getBytes(UTF_8);
    return bytes.length <= MAX_OWNER ? bytes : Arrays.copyOf(bytes, MAX_OWNER);
  }

  /** Returns a record that is not to be decided upon but kept as it is. */
  static byte[] of(ClaimRecord record, Key key, int scopeNumber) {
    byte[] compared = bytes(record.fingerprint());
    byte[] owner = owner(record.owner());
    byte[] value = value(record.result());
    byte[] saved = record.checkpoint() == null ? NOTHING : record.checkpoint();
    boolean done = record.state() == ClaimState.DONE;
    int park = record.lapse() == Lapse.PARK ? PARK : 0;
    int head = head(record.state(), record.result()) | (done ? 0 : DETAILS | park);
    boolean claimed = record.state() == ClaimState.CLAIMED;
    long until = capped(claimed ? record.leaseUntilMillis() : record.expiresAtMillis());
    int size = FIXED + names(record.scope(), key, owner) + value.length + saved.length;
    ByteBuffer bytes =
        ByteBuffer.allocate(size + 1 + compared.length + 1 + 6 + 6 + 4)
            .put((byte) (head | (compared.length == 0 ? 0 : COMPARED)))
            .put(token(record.token()));
    putTime(bytes, until);
    bytes.putInt((int) span(until - record.updatedAtMillis()));
    bytes.putShort((short) Math.min(record.attempt(), MAX_ATTEMPTS));
    bytes.putShort((short) scopeNumber).putLong(record.requestId());
    putCompared(bytes, compared);
    if (!done) {
      putDetails(bytes, record, key, owner);
    }
    return written(bytes.put(value));
  }

  private static void putDetails(ByteBuffer bytes, ClaimRecord record, Key key, byte[] owner) {
    boolean deferred = record.state() == ClaimState.RELEASED;
    byte[] checkpoint = record.checkpoint();
    int which = CREATED | (checkpoint == null ? 0 : CHECKPOINT) | (deferred ? NOT_BEFORE : 0);
    putNames(bytes.put((byte) which), record.scope(), key, owner);
    if (deferred) {
      putTime(bytes, capped(record.notBeforeMillis()));
    }
    putTime(bytes, capped(record.createdAtMillis()));
    if (checkpoint != null) {
      bytes.putInt(checkpoint.length).put(checkpoint);
    }
  }

  /** Returns how long before its end a record was changed, as it stands in the record. */
  private static long span(long millis) {
    if (millis < IN_SECONDS) {
      return Math.max(0, millis);
    }
    return Math.min(UNKNOWN_SPAN, IN_SECONDS + (millis + 999) / 1_000);
  }

  private static long capped(long millis) {
    return Math.max(0, Math.min(millis, NEVER));
  }

  private static void putTime(ByteBuffer bytes, long millis) {
    bytes.putShort((short) (millis >>> 32)).putInt((int) millis);
  }
}
