package dev.onlyonce.spi;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store that sends the single calls of many threads to another store as batches, see {@link
 * Combiner}. It pays where a call costs a round trip or a disk write, and costs a little where it
 * does not, as in memory.
 *
 * <p>Guarantee, thread-safety and failure are those of the other store, and of the combiner. It
 * reads what the other store can read, and throws {@link IllegalStateException} if that cannot be
 * read.
 */
public final class CombiningStore implements ClaimStore, ClaimReader {

  private static final int QUEUE = 100_000;

  private final ClaimStore store;
  private final Combiner<ClaimRequest, Answer> claims;
  private final Combiner<Settlement, Held> settlements;
  private final Combiner<Renewal, Held> renewals;

  private CombiningStore(ClaimStore store, int maxBatch) {
    this.store = store;
    this.claims = new Combiner<>(store::claim, maxBatch, QUEUE);
    this.settlements = new Combiner<>(asFunction(store), maxBatch, QUEUE);
    this.renewals = new Combiner<>(store::renew, maxBatch, QUEUE);
  }

  private static Function<List<Settlement>, List<Held>> asFunction(ClaimStore store) {
    return batch -> store.settleFree(batch);
  }

  /** Combines calls into batches of up to {@link Limits#BATCH} items. */
  public static CombiningStore over(ClaimStore store) {
    return over(store, Limits.BATCH);
  }

  /** Combines calls into batches of up to {@code maxBatch} items. */
  public static CombiningStore over(ClaimStore store, int maxBatch) {
    return new CombiningStore(store, maxBatch);
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return claims.call(batch);
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    List<Held> answers = new ArrayList<>(settlements.call(List.copyOf(batch)));
    // What is locked is waited for by whoever wants it, beside the batches of all the others.
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) == Held.UNKNOWN) {
        answers.set(i, store.settle(List.of(batch.get(i))).get(0));
      }
    }
    return answers;
  }

  @Override
  public List<Held> settleFree(List<? extends Settlement> batch) {
    return settlements.call(List.copyOf(batch));
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    List<Held> answers = renewals.call(batch);
    // Only what others have brought is known: by itself it is waited for, or fails with the reason.
    return answers.contains(Held.UNKNOWN) && answers.stream().allMatch(Held.UNKNOWN::equals)
        ? store.renew(batch)
        : answers;
  }

  @Override
  public int maxResultBytes() {
    return store.maxResultBytes();
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return reader().find(scope, key);
  }

  @Override
  public Page list(Query query, @Nullable String cursor) {
    return reader().list(query, cursor);
  }

  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return reader().history(scope, key);
  }

  @Override
  public Map<ClaimState, Long> totals() {
    return reader().totals();
  }

  private ClaimReader reader() {
    if (store instanceof ClaimReader reader) {
      return reader;
    }
    throw new IllegalStateException(
        "reading needs a store that is a ClaimReader, " + store.getClass() + " is not");
  }

  @Override
  public int purge(int limit) {
    return store.purge(limit);
  }

  @Override
  public void close() {
    store.close();
  }
}
