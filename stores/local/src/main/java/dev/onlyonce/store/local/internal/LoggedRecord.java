package dev.onlyonce.store.local.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.KeyHash;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.store.local.internal.Cursor.Malformed;

/**
 * A claim record in the log, of which only as much is read as the index is made of; the rest when
 * it is asked for. One is filled again and again. Not safe for use by several threads.
 */
final class LoggedRecord {

  static final int HAS_FINGERPRINT = 1;
  static final int HAS_CHECKPOINT = 2;
  static final int HAS_VALUE = 4;
  static final int NOT_KEPT = 8;
  static final int HAS_NOT_BEFORE = 16;

  private final long baseMillis;
  private final Names names;
  private final Cursor rest = new Cursor();

  private byte[] array = new byte[0];
  private ClaimState state = ClaimState.UNKNOWN;
  private int lapse;
  private int flags;
  private long requestId;
  private long scope;
  private long owner;
  private int attempt;
  private long token;
  private long updatedAt;
  private long createdAt;
  private long until;
  private long notBefore;
  private int keyAt;
  private int keyLength;

  LoggedRecord(long baseMillis, Names names) {
    this.baseMillis = baseMillis;
    this.names = names;
  }

  /** Reads the entry from behind its kind on. */
  void read(byte[] bytes, int from, int to) throws Malformed {
    array = bytes;
    rest.reset(bytes, from, to);
    state = ClaimState.ofCode(rest.getByte());
    lapse = rest.getByte();
    flags = rest.getByte();
    requestId = rest.getLong();
    scope = rest.getVar();
    owner = rest.getVar();
    attempt = (int) rest.getVar();
    token = rest.getSigned() + baseMillis * 1_000;
    updatedAt = rest.getSigned() + baseMillis;
    createdAt = updatedAt - rest.getSigned();
    until = rest.getSigned() + updatedAt;
    notBefore = (flags & HAS_NOT_BEFORE) == 0 ? 0 : rest.getSigned() + updatedAt;
    keyLength = rest.getSize();
    keyAt = rest.skip(keyLength);
  }

  ClaimState state() {
    return state;
  }

  long token() {
    return token;
  }

  long requestId() {
    return requestId;
  }

  long updatedAtMillis() {
    return updatedAt;
  }

  /** Returns when it expires; {@link Long#MAX_VALUE} if it is not settled. */
  long expiresAtMillis() {
    return state.isSettled() ? until : Long.MAX_VALUE;
  }

  /** Tells whether it is done at the first attempt and has no value and no fingerprint. */
  boolean isPlain() {
    return state == ClaimState.DONE && attempt == 1 && (flags & (HAS_FINGERPRINT | HAS_VALUE)) == 0;
  }

  /** Tells whether its result was not kept. */
  boolean isResultNotKept() {
    return (flags & NOT_KEPT) != 0;
  }

  Scope scope() throws Malformed {
    return names.scope(scope);
  }

  /** Returns the hash of the key, by the hash of its scope. */
  Hash hash(KeyHash ofScope) {
    return ofScope.of(array, keyAt, keyLength);
  }

  /** Reads all of it. */
  ClaimRecord record() throws Malformed {
    rest.moveTo(keyAt);
    Key key = Key.fromStored(rest.get(keyLength));
    Fingerprint fingerprint =
        (flags & HAS_FINGERPRINT) == 0 ? null : Fingerprint.ofBytes(rest.get(rest.getSize()));
    return new ClaimRecord(
        names.scope(scope),
        key,
        state,
        token,
        requestId,
        attempt,
        state.isSettled() ? 0 : until,
        notBefore,
        state.isSettled() ? until : 0,
        Lapse.ofCode(lapse),
        fingerprint,
        result(),
        (flags & HAS_CHECKPOINT) == 0 ? null : rest.get(rest.getSize()),
        names.name(owner),
        createdAt,
        updatedAt);
  }

  private Result result() throws Malformed {
    if ((flags & HAS_VALUE) != 0) {
      String type = new String(rest.get(rest.getSize()), UTF_8);
      return new Result.Value(type, rest.get(rest.getSize()));
    }
    return isResultNotKept() ? Result.NOT_KEPT : Result.NONE;
  }
}
