package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.RecordSource;
import dev.onlyonce.store.tiered.Authority;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The authority's records, without those that the tiers keep for themselves. */
public final class AuthorityReader implements ClaimReader {

  private static final Query OWN = Query.all(1_000).in(Pairing.SCOPE);

  private final ClaimReader records;

  AuthorityReader(ClaimReader records) {
    this.records = records;
  }

  /** As {@link dev.onlyonce.store.tiered.TieredStore#look}. */
  public static <R extends ClaimReader & RecordSource> ClaimReader of(
      Authority authority, RecordSource database, R records) {
    Pairing.checkAuthority(authority, database, records);
    return new AuthorityReader(records);
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return records.find(scope, key);
  }

  @Override
  public Page list(Query query, @Nullable String cursor) {
    Page page = records.list(query, cursor);
    return new Page(
        page.records().stream().filter(it -> !it.scope().equals(Pairing.SCOPE)).toList(),
        page.next());
  }

  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return records.history(scope, key);
  }

  @Override
  public Map<ClaimState, Long> totals() {
    Map<ClaimState, Long> totals = new EnumMap<>(ClaimState.class);
    totals.putAll(records.totals());
    String cursor = null;
    do {
      Page own = records.list(OWN, cursor);
      own.records().forEach(it -> totals.computeIfPresent(it.state(), (same, count) -> count - 1));
      cursor = own.next();
    } while (cursor != null);
    return totals;
  }

  @Override
  public Set<Scope> scopes() {
    Set<Scope> scopes = new HashSet<>(records.scopes());
    scopes.remove(Pairing.SCOPE);
    return scopes;
  }
}
