package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.TierMark;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The shards of a store that is being opened: whether all are there, and are the store's.
 *
 * <p>A shard that is missing is made only in a store that was never used, whose first opening was
 * not brought to its end; everywhere else it is lost.
 */
final class Shards {

  private static final System.Logger LOG = System.getLogger(Shards.class.getName());

  /** What a shard says: the store's id, a blank, and this while no token was given out. */
  private static final String UNUSED = " 0";

  private static final int MOST_NAMED = 3;

  private final Shop shop;
  private final Names.Name meta;
  private final String id;

  Shards(Shop shop) {
    this.shop = shop;
    this.meta = Names.meta(shop.settings().prefix);
    this.id = new String(shop.id(), US_ASCII);
  }

  /**
   * Returns if all shards are there.
   *
   * @param isMade whether the store says that all have been made
   * @throws StoreException REJECTED if one is lost, or another store's
   */
  void requireAll(boolean isMade) {
    Found found = find(isMade);
    List<Integer> missing = found.missing;
    if (found.isUsed && !missing.isEmpty()) {
      throw lost(missing);
    }
    if (!missing.isEmpty()) {
      throw rejected(
          "was never made whole: "
              + named(missing)
              + " not there yet; the next program that opens it to work with it makes the rest");
    }
  }

  /**
   * Returns when all shards are there; makes those that are missing, if the store was never used or
   * the caller has decided so.
   *
   * @param isMade whether the store says that all have been made
   * @throws StoreException REJECTED if one is lost, or another store's; or if the caller may not
   *     decide alone, since the store decides for tiers, or that cannot be told
   */
  void makeAll(boolean isMade) {
    Found found = find(isMade);
    List<Integer> missing = found.missing;
    if (found.isUsed && !missing.isEmpty()) {
      if (!shop.settings().remakesLostShards) {
        throw lost(missing);
      }
      requireDecidable(missing);
      LOG.log(
          Level.WARNING,
          meta + ": " + named(missing) + " made anew as decided: all keys of it are new");
    }
    if (!missing.isEmpty()) {
      call(missing, true);
    }
    if (!isMade) {
      noteMade();
    }
  }

  /**
   * Refuses to make shards anew for who opens the store alone, if it is one of tiers and decides
   * for them: their programs would grant every key of those shards again.
   */
  private void requireDecidable(List<Integer> missing) {
    if (shop.settings().isTier) {
      return;
    }
    RecordId mark = TierMark.ID;
    if (!missing.contains(shop.places().of(mark.scope(), mark.key()).shard())) {
      if (!TierMark.mayBeAlone(new FindVerb(shop)::run)) {
        throw notAlone(missing, "decides for the tiers of a tiered store", "");
      }
      return;
    }
    // What says it is lost; but a tier has given a number to the scope that it keeps it in.
    Set<Scope> scopes = shop.scopes().all();
    if (scopes.contains(mark.scope())) {
      throw notAlone(
          missing, "is one of the tiers of a tiered store, has lost which of them decides", "");
    }
    if (scopes.isEmpty()) {
      throw notAlone(
          missing,
          "may be one of the tiers of a tiered store, which "
              + shop.names().scopes()
              + " would tell and is lost",
          "; if it is known to be of none, open it once with remakeLostShards() and asTier()");
    }
  }

  private StoreException notAlone(List<Integer> missing, String why, String otherwise) {
    return rejected(
        why
            + ", and "
            + named(missing)
            + " lost, which is not made anew for this store alone: of tiers, stop all programs, empty"
            + " it or take another prefix, and run 'onlyonce doctor --rebuild --store"
            + " tiered:FILE.yaml'"
            + otherwise);
  }

  /**
   * What there is of the shards.
   *
   * @param isUsed whether the store was made whole or used before, so that it may lack none
   */
  private record Found(boolean isUsed, List<Integer> missing) {}

  private Found find(boolean isMade) {
    // What tells that it was used is read first: then all shards were there before they are missed.
    boolean isUsed = isMade || !shop.scopes().all().isEmpty();
    List<String> found = look();
    if (!isUsed && found.stream().anyMatch(it -> !it.isEmpty() && !it.equals(id + UNUSED))) {
      isUsed = true;
      found = look();
    }
    return new Found(isUsed, missing(found));
  }

  private StoreException lost(List<Integer> missing) {
    return rejected(
        "has lost "
            + missing.size()
            + " of its "
            + shop.shards()
            + " shards, "
            + named(missing)
            + " gone with every key in it (a server was started without its data, or somebody"
            + " deleted it): restore the data; or, if those keys may run again, make it anew with"
            + " 'onlyonce doctor --remake-lost-shards', or with remakeLostShards() when the store"
            + " is opened");
  }

  private static List<Integer> missing(List<String> found) {
    return IntStream.range(0, found.size()).filter(it -> found.get(it).isEmpty()).boxed().toList();
  }

  /** Returns what each shard says, nothing for one that is missing. */
  private List<String> look() {
    return call(IntStream.range(0, shop.shards()).boxed().toList(), false);
  }

  private List<String> call(List<Integer> shards, boolean makes) {
    List<byte[]> arguments = List.of(shop.id(), Part.ascii(makes ? 1 : 0));
    List<Call> calls = new ArrayList<>();
    for (int shard : shards) {
      calls.add(shop.call(Script.SHARD, shard, makes, arguments));
    }
    shop.dispatcher().runPatiently(calls);
    List<String> found = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      String said = new String(calls.get(i).bytes(), US_ASCII);
      if (!said.startsWith(id + " ") && (makes || !said.isEmpty())) {
        throw rejected(
            "is not the one that the Redis key "
                + shop.names().shards().get(shards.get(i))
                + " belongs to: one of the two was deleted or restored alone; restore both, or"
                + " delete all keys of the prefix if every key may be taken for new");
      }
      found.add(said);
    }
    return found;
  }

  private void noteMade() {
    Call call = new Call(Script.MADE, meta.key(), meta.slot(), true, List.of(shop.id()));
    shop.dispatcher().runPatiently(List.of(call));
    if (call.number() == 0) {
      throw rejected("was deleted or replaced while it was opened: open it again");
    }
  }

  private String named(List<Integer> shards) {
    StringBuilder named = new StringBuilder();
    for (int shard : shards.subList(0, Math.min(shards.size(), MOST_NAMED))) {
      named.append(named.isEmpty() ? "" : ", ").append(shop.names().shards().get(shard));
    }
    int more = shards.size() - MOST_NAMED;
    return named + (more > 0 ? " and " + more + " more are" : shards.size() == 1 ? " is" : " are");
  }

  private StoreException rejected(String what) {
    return new StoreException(Kind.REJECTED, "the store under the Redis key " + meta + " " + what);
  }
}
