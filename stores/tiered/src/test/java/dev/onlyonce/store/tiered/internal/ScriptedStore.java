package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimMachine.Decision;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.RecordSink;
import dev.onlyonce.spi.RecordSource;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreClock;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The claim machine over a map, as a tier that a test can hold up, or have fail, at a moment of its
 * choice: before a question is answered, or when the answer is on its way.
 */
final class ScriptedStore implements ClaimStore, ClaimReader, RecordSource, RecordSink, StoreClock {

  private final Map<RecordId, ClaimRecord> records = new ConcurrentHashMap<>();
  private final ClaimMachine machine = new ClaimMachine(Duration.ZERO, "scripted");

  /** What happens before a claim is decided. */
  volatile Consumer<List<ClaimRequest>> beforeClaim = it -> {};

  /** What happens when it is decided and not answered yet. */
  volatile Consumer<List<ClaimRequest>> afterClaim = it -> {};

  /** What happens before records are put. */
  volatile Consumer<List<ClaimRecord>> beforePut = it -> {};

  /** What happens before records are found. */
  volatile Consumer<List<RecordId>> beforeFind = it -> {};

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    beforeClaim.accept(batch);
    List<Answer> answers =
        each(
            batch,
            it ->
                write(
                    new RecordId(it.scope(), it.key()),
                    found -> machine.claim(found, it, micros(), 0)));
    afterClaim.accept(batch);
    return answers;
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return each(
        batch,
        it ->
            write(
                new RecordId(it.claim().scope(), it.claim().key()),
                found -> machine.settle(found, it, micros())));
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return each(
        batch,
        it ->
            write(
                new RecordId(it.claim().scope(), it.claim().key()),
                found -> machine.renew(found, it, micros())));
  }

  private static <Q, A> List<A> each(List<? extends Q> batch, Function<Q, A> verb) {
    List<A> answers = new ArrayList<>();
    for (Q each : batch) {
      answers.add(verb.apply(each));
    }
    return answers;
  }

  private synchronized <A> A write(RecordId id, Function<@Nullable ClaimRecord, Decision<A>> rule) {
    Decision<A> decision = rule.apply(records.get(id));
    ClaimRecord written = decision.write();
    if (written != null) {
      records.put(id, written.withKey(id.key()));
    }
    return decision.answer();
  }

  @Override
  public synchronized List<Boolean> put(List<ClaimRecord> batch) {
    beforePut.accept(batch);
    return each(
        batch,
        it -> {
          RecordId id = new RecordId(it.scope(), it.key());
          ClaimRecord found = records.get(id);
          boolean isNewer = found == null || found.token() < it.token();
          if (isNewer) {
            records.put(id, it);
          }
          return isNewer;
        });
  }

  @Override
  public List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    beforeFind.accept(ids);
    return each(ids, it -> find(it.scope(), it.key()));
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return Optional.ofNullable(records.get(new RecordId(scope, key)))
        .filter(it -> !it.isExpired(millis()));
  }

  @Override
  public Page list(Query query, @Nullable String cursor) {
    return new Page(
        records.values().stream().filter(it -> machine.matches(query, it, millis())).toList(),
        null);
  }

  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return find(scope, key).stream().toList();
  }

  @Override
  public Map<ClaimState, Long> totals() {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public int purge(int limit) {
    return 0;
  }

  @Override
  public long millis() {
    return Time.system().millis();
  }

  private long micros() {
    return millis() * 1_000;
  }

  /** Loses a record, as a server does that was restored. */
  void lose(RecordId id) {
    records.remove(id);
  }

  @Override
  public void close() {}
}
