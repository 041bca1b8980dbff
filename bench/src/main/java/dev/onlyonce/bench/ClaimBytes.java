package dev.onlyonce.bench;

import java.nio.ByteBuffer;

/** A claim as a peer keeps it that maps bytes to bytes: state, token, request id, end. */
final class ClaimBytes {

  private static final byte CLAIMED = 1;
  private static final byte DONE = 2;
  private static final int TOKEN = 1;
  private static final int REQUEST_ID = 9;
  private static final int LENGTH = 25;

  private ClaimBytes() {}

  static byte[] claimed(long token, long requestId, long leaseEnd) {
    return bytes(CLAIMED, token, requestId, leaseEnd);
  }

  /** Returns the claim when it is completed. */
  static byte[] done(byte[] claim, long expiry) {
    ByteBuffer fields = ByteBuffer.wrap(claim);
    return bytes(DONE, fields.getLong(TOKEN), fields.getLong(REQUEST_ID), expiry);
  }

  static boolean isClaimed(byte[] claim, long token) {
    return claim[0] == CLAIMED && ByteBuffer.wrap(claim).getLong(TOKEN) == token;
  }

  static boolean isDone(byte[] claim) {
    return claim[0] == DONE;
  }

  private static byte[] bytes(byte state, long token, long requestId, long end) {
    return ByteBuffer.allocate(LENGTH)
        .put(state)
        .putLong(token)
        .putLong(requestId)
        .putLong(end)
        .array();
  }
}
