package dev.onlyonce.app.claims;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which records are meant.
 *
 * @param scope only this one; null for all
 * @param standings only those that stand so
 * @param keyPrefix only keys that are shown with this at their beginning; empty for all
 * @param olderThan only those that have not changed for this long; null for all
 * @param newerThan only those that have changed since then; null for all
 */
public record Selection(
    @Nullable Scope scope,
    Set<Standing> standings,
    String keyPrefix,
    @Nullable Duration olderThan,
    @Nullable Duration newerThan) {

  private static final Set<Standing> IN_DOUBT = Set.of(Standing.IN_DOUBT);

  /** Returns this, for some standings only. */
  public Selection of(Set<Standing> only) {
    return new Selection(scope, only, keyPrefix, olderThan, newerThan);
  }

  /** Returns this, for what is in doubt only. */
  public Selection onlyInDoubt() {
    return of(IN_DOUBT);
  }

  /** Returns what a store is asked for; the rest is seen by looking at each record. */
  Query query(int limit) {
    Set<ClaimState> states =
        standings.stream().map(Standing::state).collect(Collectors.toUnmodifiableSet());
    return new Query(scope, states, standings.equals(IN_DOUBT), limit);
  }

  /** Tells whether a record that the store has returned is meant. */
  boolean includes(ClaimRecord record, long now) {
    long age = now - record.updatedAtMillis();
    return standings.contains(Standing.of(record, now))
        && isNamed(record.key())
        && (olderThan == null || age >= olderThan.toMillis())
        && (newerThan == null || age < newerThan.toMillis());
  }

  /** A store that keeps a hash only may not know the key of what is done: no prefix is its. */
  private boolean isNamed(@Nullable Key key) {
    return keyPrefix.isEmpty() || (key != null && key.toString().startsWith(keyPrefix));
  }
}
