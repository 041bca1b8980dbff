package dev.onlyonce.spi;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import java.util.List;

/**
 * The record by which a store says that it is one of the tiers of a tiered store, which writes it.
 * Its result begins with the name of the tier that decides.
 *
 * <p>Where the database decides, it may be used alone as well. Where another tier does, neither it
 * nor the database may: what is settled would not be in the other one.
 */
public final class TierMark {

  /** Where the record is. */
  public static final RecordId ID = new RecordId(Scope.of("onlyonce/tiers"), Key.of("pair"));

  private static final String DATABASE_DECIDES = "database #";

  private TierMark() {}

  /**
   * Refuses a store that must not be used alone.
   *
   * @param name what the store calls itself
   * @throws StoreException REJECTED if it is one of tiers of which the database does not decide, or
   *     if it cannot be asked
   */
  public static void requireAlone(String name, RecordSource store) {
    if (!mayBeAlone(store)) {
      throw new StoreException(
          StoreException.Kind.REJECTED,
          name
              + " is one of the tiers of a tiered store, of which Redis decides, and must not be"
              + " used alone: open the tiered store; to hand it to that, open it with asTier()");
    }
  }

  /**
   * Tells whether a store may be used alone: it is none of tiers, or the database decides for them.
   *
   * @throws StoreException if it cannot be asked
   */
  public static boolean mayBeAlone(RecordSource store) {
    ClaimRecord mark = store.find(List.of(ID)).get(0).orElse(null);
    return mark == null || decides(mark.result()).startsWith(DATABASE_DECIDES);
  }

  private static String decides(Result result) {
    return result instanceof Result.Value value ? new String(value.bytes(), US_ASCII) : "";
  }
}
