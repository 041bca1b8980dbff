package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.RecordSink;
import dev.onlyonce.spi.RecordSource;
import dev.onlyonce.spi.StoreClock;

/**
 * A store that is a tier, by what is asked of it.
 *
 * @param claims its verbs
 * @param reader looks at its records
 * @param source looks at many
 * @param sink takes records as they are
 * @param clock its time
 */
public record Tier(
    ClaimStore claims, ClaimReader reader, RecordSource source, RecordSink sink, StoreClock clock) {

  /** Returns the tier that this store is. */
  public static <S extends ClaimStore & ClaimReader & RecordSource & RecordSink & StoreClock>
      Tier of(S store) {
    return new Tier(store, store, store, store, store);
  }

  void close() {
    claims.close();
  }
}
