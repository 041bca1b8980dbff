package dev.onlyonce.spi;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the records of a store, for operators and tests. What it returns is an observation that
 * may be out of date at once: only a claim decides.
 *
 * <p>Any number of threads. Failure: {@link StoreException}. A reader can be opened beside the
 * store that writes.
 */
public interface ClaimReader {

  /** Returns the record of this key unless it is absent or has expired. */
  Optional<ClaimRecord> find(Scope scope, Key key);

  /**
   * Returns the next records that match, in the store's own order.
   *
   * @param cursor where to go on, as the last page returned it; null to start
   */
  Page list(Query query, @Nullable String cursor);

  /**
   * Returns the versions of a record, oldest first and the current one last, as far back as the
   * store keeps them; a store that keeps no history returns the current one only.
   */
  List<ClaimRecord> history(Scope scope, Key key);

  /** Counts the records of each state that have not expired. */
  Map<ClaimState, Long> totals();

  /**
   * Returns the scopes that records may be of: no other has any, and some may have none. Unless a
   * store knows better, this reads every record.
   */
  default Set<Scope> scopes() {
    Set<Scope> scopes = new HashSet<>();
    String cursor = null;
    do {
      Page page = list(Query.all(1_000), cursor);
      page.records().forEach(record -> scopes.add(record.scope()));
      cursor = page.next();
    } while (cursor != null);
    return scopes;
  }

  /**
   * Which records to list.
   *
   * @param scope only this scope; null for all
   * @param states only these states
   * @param onlyInDoubt only those that are parked and whose lease is over, by the store's clock
   * @param limit how many a page has at the most, from 1
   */
  record Query(@Nullable Scope scope, Set<ClaimState> states, boolean onlyInDoubt, int limit) {
    /**
     * @throws IllegalArgumentException if the limit is below 1
     */
    public Query {
      Limits.requirePositive("limit", limit);
      states = Set.copyOf(states);
    }

    /** Returns a query for all records. */
    public static Query all(int limit) {
      return new Query(null, Set.of(ClaimState.values()), false, limit);
    }

    /** Returns a query for the records that are in doubt. */
    public static Query inDoubt(int limit) {
      return new Query(null, Set.of(ClaimState.CLAIMED), true, limit);
    }

    /** Returns this query, for one scope. */
    public Query in(Scope only) {
      return new Query(only, states, onlyInDoubt, limit);
    }

    /** Returns this query, for these states. */
    public Query of(Set<ClaimState> only) {
      return new Query(scope, only, onlyInDoubt, limit);
    }
  }

  /**
   * A part of a listing.
   *
   * @param records in the store's order; possibly none although there are more pages
   * @param next the cursor of the next page; null when this was the last
   */
  record Page(List<ClaimRecord> records, @Nullable String next) {}
}
