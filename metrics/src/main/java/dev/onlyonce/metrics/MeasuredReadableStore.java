package dev.onlyonce.metrics;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A measured store that can be read. Reading decides nothing, and is not measured. */
final class MeasuredReadableStore extends MeasuredStore implements ClaimReader {

  private final ClaimReader reader;

  MeasuredReadableStore(ClaimStore store, ClaimReader reader, StoreMeters meters) {
    super(store, meters);
    this.reader = reader;
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return reader.find(scope, key);
  }

  @Override
  public Page list(Query query, @Nullable String cursor) {
    return reader.list(query, cursor);
  }

  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return reader.history(scope, key);
  }

  @Override
  public Map<ClaimState, Long> totals() {
    return reader.totals();
  }

  @Override
  public Set<Scope> scopes() {
    return reader.scopes();
  }
}
