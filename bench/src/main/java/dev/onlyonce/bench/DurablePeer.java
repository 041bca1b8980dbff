package dev.onlyonce.bench;

import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A store for embedding as one would use it: keys are inserted with state, token, request id and
 * the end of the lease where they are not there, and synced; then those that are new are completed,
 * if they still are claimed with that token, and synced.
 *
 * <p>It does less than the local store: lapsed leases are not taken over, nothing is purged, all
 * keys of a call have the same token, and there are no fingerprints, results, attempts or
 * checkpoints. For use by one thread.
 */
abstract class DurablePeer implements Memory {

  private static final Time TIME = Time.system();

  @Override
  public final boolean handle(byte[] key) {
    return handle(new byte[][] {key}) == 1;
  }

  @Override
  public final int handle(byte[][] keys) {
    try {
      long token = TIME.nanoTime();
      List<byte[]> fresh = claim(keys, token, TIME.millis() + Limits.LEASE.toMillis());
      if (!fresh.isEmpty()) {
        complete(fresh, token, TIME.millis() + Limits.RETENTION.toMillis());
      }
      return fresh.size();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Inserts the keys that are not there, syncs, and returns them; the others must be done. */
  abstract List<byte[]> claim(byte[][] keys, long token, long leaseEnd) throws Exception;

  /** Completes the keys, which must be claimed with this token, and syncs. */
  abstract void complete(List<byte[]> keys, long token, long expiry) throws Exception;

  /** Frees what it holds. */
  abstract void shut() throws Exception;

  @Override
  public final void close() {
    try {
      shut();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static long requestId() {
    return ThreadLocalRandom.current().nextLong();
  }

  static void require(boolean state) {
    if (!state) {
      throw new IllegalStateException("a key was in another state than the benchmark left it");
    }
  }
}
