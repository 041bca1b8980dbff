package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** One item of a batch, in the words of the statements. */
interface Item {

  /** The order in which rows are locked, the same for all who lock: by scope, then by key. */
  Comparator<Item> LOCK_ORDER =
      Comparator.<Item, String>comparing(it -> it.scope().name())
          .thenComparing(it -> it.key().toBytes(), Arrays::compareUnsigned);

  /** The moment that does not come. */
  long NEVER = Long.MAX_VALUE;

  /** More than a key, a scope and the numbers have of an item's weight. */
  int MOST_BYTES_BESIDE = 8 * 1024;

  Scope scope();

  Key key();

  /** About how many bytes it brings to the server. */
  int weight();

  default RecordId id() {
    return new RecordId(scope(), key());
  }

  /** The bytes of the key. */
  default byte[] k() {
    return key().toBytes();
  }

  /** Milliseconds that a time of a database may be added to. */
  private static long addend(Duration duration) {
    return Math.min(Limits.millis(duration), Long.MAX_VALUE / 2);
  }

  /** A claim. */
  record Claim(ClaimRequest request) implements Item {
    @Override
    public Scope scope() {
      return request.scope();
    }

    @Override
    public Key key() {
      return request.key();
    }

    @Override
    public int weight() {
      return key().length() + size(result());
    }

    @Nullable Long expected() {
      return request.expectToken() == ClaimRequest.ANY ? null : request.expectToken();
    }

    int state() {
      return (request.settleNow() == null ? ClaimState.CLAIMED : ClaimState.DONE).code();
    }

    long lease() {
      return addend(request.lease());
    }

    long keep() {
      return addend(request.retention());
    }

    byte @Nullable [] fingerprint() {
      return request.fingerprint() == null ? null : request.fingerprint().toBytes();
    }

    Result result() {
      return request.settleNow() == null ? Result.NONE : request.settleNow();
    }
  }

  /** A settlement. */
  record Settle(Settlement settlement) implements Item {
    private static final String REASON = "text/plain";

    @Override
    public Scope scope() {
      return settlement.claim().scope();
    }

    @Override
    public Key key() {
      return settlement.claim().key();
    }

    @Override
    public int weight() {
      return key().length() + size(result());
    }

    long token() {
      return settlement.claim().token();
    }

    int state() {
      if (settlement instanceof Settlement.Complete) {
        return ClaimState.DONE.code();
      }
      return (settlement instanceof Settlement.Fail ? ClaimState.FAILED : ClaimState.RELEASED)
          .code();
    }

    long after() {
      return settlement instanceof Settlement.Release release ? addend(release.after()) : 0;
    }

    long keep() {
      return addend(settlement.retention());
    }

    Result result() {
      if (settlement instanceof Settlement.Complete complete) {
        return complete.result();
      }
      return settlement instanceof Settlement.Fail fail
          ? new Result.Value(REASON, fail.reason().getBytes(UTF_8))
          : Result.NONE;
    }

    /** What the count of attempts is multiplied with, and then what is added to it. */
    int attemptFactor() {
      return attempts() == Settlement.Attempts.RESET ? 0 : 1;
    }

    int attemptChange() {
      return attempts() == Settlement.Attempts.REFUND ? -1 : 0;
    }

    private Settlement.Attempts attempts() {
      return settlement instanceof Settlement.Release release
          ? release.attempts()
          : Settlement.Attempts.KEEP;
    }
  }

  /** A renewal. */
  record Renew(Renewal renewal) implements Item {
    @Override
    public Scope scope() {
      return renewal.claim().scope();
    }

    @Override
    public Key key() {
      return renewal.claim().key();
    }

    @Override
    public int weight() {
      byte[] checkpoint = renewal.checkpoint();
      return key().length() + (checkpoint == null ? 0 : checkpoint.length);
    }

    long token() {
      return renewal.claim().token();
    }

    long lease() {
      return addend(renewal.lease());
    }
  }

  /** A record that is written as it is. */
  record Put(ClaimRecord record) implements Item {
    @Override
    public Scope scope() {
      return record.scope();
    }

    @Override
    public Key key() {
      Key key = record.key();
      if (key == null) {
        throw new IllegalArgumentException(
            "a record must have its key to be put, one of scope " + scope() + " has none");
      }
      return key;
    }

    @Override
    public int weight() {
      byte[] checkpoint = record.checkpoint();
      return key().length() + size(record.result()) + (checkpoint == null ? 0 : checkpoint.length);
    }

    long until() {
      return record.state() == ClaimState.RELEASED
          ? record.notBeforeMillis()
          : record.leaseUntilMillis();
    }

    long expires() {
      return record.state().isSettled() ? record.expiresAtMillis() : NEVER;
    }

    byte @Nullable [] fingerprint() {
      return record.fingerprint() == null ? null : record.fingerprint().toBytes();
    }
  }

  private static int size(Result result) {
    return result instanceof Result.Value value ? value.bytes().length : 0;
  }
}
