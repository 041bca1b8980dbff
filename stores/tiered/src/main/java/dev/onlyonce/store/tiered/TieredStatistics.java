package dev.onlyonce.store.tiered;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the tiers of a store did since it was opened, in this process, as of a moment ago.
 * Immutable.
 *
 * @param authority the tier that says "new"
 * @param tiers from the nearest to the farthest; the authority is one of them
 * @param joined how many requests joined one for the same key that was under way
 * @param behind what is on its way to the other tiers
 * @param hotKeys the keys that are claimed most, the hottest first
 */
public record TieredStatistics(
    Authority authority, List<Tier> tiers, long joined, Behind behind, List<HotKey> hotKeys) {

  /** Makes a snapshot. */
  public TieredStatistics {
    tiers = List.copyOf(tiers);
    hotKeys = List.copyOf(hotKeys);
  }

  /** Returns the tier of this name: filter, near, fast or database; null if there is none. */
  public @Nullable Tier tier(String name) {
    return tiers.stream().filter(it -> it.name().equals(name)).findFirst().orElse(null);
  }

  /**
   * One tier. A call asks for one or more keys.
   *
   * @param name filter, near, fast or database
   * @param trouble null, or what is wrong with the tier now: it is loading, does not answer, or is
   *     full and takes no copies
   * @param calls how many times it was asked
   * @param keys about how many keys it was asked
   * @param answered how many of them it answered, so that no other tier was asked: of the filter,
   *     those that it had never seen; of the authority, all
   * @param failures how many calls failed
   * @param mean how long a call took on average
   * @param p99 a time within which 99 of 100 calls were answered, at most an eighth too long
   */
  public record Tier(
      String name,
      @Nullable String trouble,
      long calls,
      long keys,
      long answered,
      long failures,
      Duration mean,
      Duration p99) {

    /** Returns which part of the keys it answered, from 0 to 1; 0 if it was never asked. */
    public double hitRate() {
      return keys == 0 ? 0 : (double) answered / keys;
    }
  }

  /**
   * What is written to another tier later: with authority {@code redis, database behind} settled
   * keys to the database, which are lost there when this process dies before; else copies, which
   * only spare others a question.
   *
   * @param waiting how many keys wait now
   * @param oldest how long the oldest of them has waited
   * @param written how many were written
   * @param failures how many times writing failed; it is tried again
   * @param dropped how many were not written: copies that nobody had the time for; keys that the
   *     fast store did not have any more when their turn came (they had expired, or it has lost
   *     them), that the database refuses, or that waited still when the store was closed
   */
  public record Behind(long waiting, Duration oldest, long written, long failures, long dropped) {}

  /**
   * A key that is claimed often.
   *
   * @param scope its scope
   * @param key the key
   * @param atLeast how many times it was claimed lately, at the least; older claims count for less
   * @param atMost at the most
   */
  public record HotKey(Scope scope, Key key, long atLeast, long atMost) {}
}
