package dev.onlyonce.app.claims;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which records are meant.
 *
 * @param scope only this one; null for all
 * @param states only these
 * @param inDoubt only what is in doubt
 * @param keyPrefix only keys that are shown with this at their beginning; empty for all
 * @param olderThan only those that have not changed for this long; null for all
 * @param newerThan only those that have changed since then; null for all
 */
public record Selection(
    @Nullable Scope scope,
    Set<ClaimState> states,
    boolean inDoubt,
    String keyPrefix,
    @Nullable Duration olderThan,
    @Nullable Duration newerThan) {

  /** Returns this, for some states only. */
  public Selection of(Set<ClaimState> only) {
    return new Selection(scope, only, inDoubt, keyPrefix, olderThan, newerThan);
  }

  /** Returns this, for what is in doubt only. */
  public Selection onlyInDoubt() {
    return new Selection(scope, Set.of(ClaimState.CLAIMED), true, keyPrefix, olderThan, newerThan);
  }

  /** Returns what a store is asked for; the rest is seen by looking at each record. */
  Query query(int limit) {
    return new Query(scope, states, inDoubt, limit);
  }

  /** Tells whether a record that the store has returned is meant. */
  boolean includes(ClaimRecord record, long now) {
    long age = now - record.updatedAtMillis();
    return String.valueOf(record.key()).startsWith(keyPrefix)
        && (olderThan == null || age >= olderThan.toMillis())
        && (newerThan == null || age < newerThan.toMillis());
  }
}
