package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Reads what {@link Packed} and the scripts have written. For one record and one thread. */
final class PackedReader {

  private final ByteBuffer bytes;
  private @Nullable Scope scope;
  private @Nullable Key key;
  private String owner = "";
  private long notBefore;
  private long created = -1;
  private byte @Nullable [] checkpoint;

  private PackedReader(byte[] record) {
    this.bytes = ByteBuffer.wrap(record);
  }

  /** Reads a record whose scope and key are known. */
  static ClaimRecord read(byte[] record, Scope knownScope, Key knownKey) {
    ClaimRecord read = new PackedReader(record).read(number -> knownScope);
    return read.withKey(knownKey);
  }

  /** Reads a record with what stands in it. */
  static ClaimRecord read(byte[] record, IntFunction<Scope> scopes) {
    return new PackedReader(record).read(scopes);
  }

  private ClaimRecord read(IntFunction<Scope> scopes) {
    int head = bytes.get() & 0xFF;
    ClaimState state = ClaimState.ofCode(head & Packed.STATE);
    long token = number(7);
    long until = number(6);
    long span = number(4);
    int attempt = (int) number(2);
    int scopeNumber = (int) number(2);
    long requestId = bytes.getLong();
    // What stands behind, in a state that is not known, is not known either.
    int behind = state == ClaimState.UNKNOWN ? 0 : head;
    Fingerprint fingerprint =
        (behind & Packed.COMPARED) == 0 ? null : Fingerprint.ofBytes(bytes((int) number(1)));
    if ((behind & Packed.DETAILS) != 0) {
      readDetails();
    }
    Result result = result(behind & Packed.RESULT);
    long updated = updated(until, span, token / 1_000);
    long made = (behind & Packed.DETAILS) == 0 ? ClaimRecord.UNKNOWN_TIME : created;
    return new ClaimRecord(
        scope == null ? scopes.apply(scopeNumber) : scope,
        key,
        state,
        token,
        requestId,
        attempt,
        state == ClaimState.CLAIMED ? time(until) : 0,
        time(notBefore),
        state.isSettled() ? time(until) : 0,
        (head & Packed.PARK) == 0 ? Lapse.TAKE : Lapse.PARK,
        fingerprint,
        result,
        checkpoint,
        owner,
        made < 0 ? Math.min(token / 1_000, updated) : made,
        updated);
  }

  private void readDetails() {
    int which = bytes.get();
    scope = Scope.of(new String(bytes((int) number(1)), US_ASCII));
    key = Key.fromStored(bytes((int) number(2)));
    owner = new String(bytes((int) number(1)), UTF_8);
    if ((which & Packed.NOT_BEFORE) != 0) {
      notBefore = number(6);
    }
    if ((which & Packed.CREATED) != 0) {
      created = number(6);
    }
    if ((which & Packed.CHECKPOINT) != 0) {
      checkpoint = bytes((int) number(4));
    }
  }

  private Result result(int kind) {
    if (kind == Packed.VALUE) {
      String type = new String(bytes((int) number(2)), UTF_8);
      return new Result.Value(type, bytes(bytes.remaining()));
    }
    return kind == 0 ? Result.NONE : Result.NOT_KEPT;
  }

  private static long updated(long until, long span, long otherwise) {
    if (span < Packed.IN_SECONDS) {
      return until - span;
    }
    return span == Packed.UNKNOWN_SPAN ? otherwise : until - (span - Packed.IN_SECONDS) * 1_000;
  }

  private static long time(long millis) {
    return millis == Packed.NEVER ? Long.MAX_VALUE : millis;
  }

  private long number(int length) {
    long number = 0;
    for (int i = 0; i < length; i++) {
      number = number << 8 | (bytes.get() & 0xFF);
    }
    return number;
  }

  private byte[] bytes(int length) {
    byte[] read = new byte[length];
    bytes.get(read);
    return read;
  }
}
