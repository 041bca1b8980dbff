package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The verbs, in whatever transaction the runner runs them: a batch is cut into statements, what a
 * statement could not see is asked for again, and what the rows say becomes an answer by {@link
 * ClaimMachine}.
 *
 * <h2>Stamps</h2>
 *
 * <p>Each statement that claims has a number of its own, so that a row tells who claimed it; asked
 * again after a lost answer, the request's id tells. A settlement or a renewal keeps its number
 * when it is repeated, so that its row tells that it was made.
 */
final class Verbs {

  /** How often an item is asked for again that a statement could not see. */
  private static final int TRIES = 10;

  private static final Duration LONGEST_WAIT = Duration.ofDays(1);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(3);

  private final Dialect dialect;
  private final ClaimMachine machine;
  private final Events events;
  private final Lately lately = new Lately();

  Verbs(Dialect dialect, ClaimMachine machine, Events events) {
    this.dialect = dialect;
    this.machine = machine;
    this.events = events;
  }

  List<Answer> claim(Runner runner, List<ClaimRequest> batch) {
    Batch<Item.Claim, Answer> items = batchOf(batch.stream().map(Item.Claim::new).toList());
    items.forEachStatement(
        part -> {
          if (!lately.areMostlyNew()) {
            answerKnown(runner, part);
          }
          claimSome(runner, part);
        });
    List<Answer> answers = items.answers();
    lately.saw(answers.stream().filter(Answer.Claimed.class::isInstance).count(), batch.size());
    return answers;
  }

  /** Answers those whose records say that they are not to be claimed: reading is cheap. */
  private void answerKnown(Runner runner, Batch.Part<Item.Claim, Answer> part) {
    List<Item.Claim> open = part.open();
    List<RecordId> ids = open.stream().map(Item::id).toList();
    List<Look> looks = runner.run(connection -> dialect.find(connection, ids));
    part.answerOpen(index -> answer(open.get(index).request(), looks.get(index)));
  }

  private void claimSome(Runner runner, Batch.Part<Item.Claim, Answer> part) {
    for (int i = 0; i < TRIES && !part.isDone(); i++) {
      List<Item.Claim> open = part.open();
      List<Look> looks =
          runner.run(
              connection -> {
                long stamp = ThreadLocalRandom.current().nextLong();
                return events.of(
                    connection, open, stamp, () -> dialect.claim(connection, open, stamp));
              });
      part.answerOpen(index -> answer(open.get(index).request(), looks.get(index)));
    }
    part.answerOpen(index -> new Answer.InProgress(Duration.ZERO));
  }

  /** Claims inside the caller's transaction, and waits that long for others in theirs. */
  List<Answer> claimInside(Runner runner, List<ClaimRequest> batch, Duration maxWait, Time time) {
    long start = time.nanoTime();
    long patience = nanos(maxWait);
    Batch<Item.Claim, Answer> items = batchOf(batch.stream().map(Item.Claim::new).toList());
    items.forEachStatement(
        part -> {
          int unseen = 0;
          while (unseen < TRIES && !part.isDone()) {
            if (!claimSomeInside(runner, part)) {
              unseen++;
            } else if (time.nanoTime() - start >= patience) {
              break;
            } else {
              LockSupport.parkNanos(Math.min(PAUSE, patience));
            }
          }
          part.answerOpen(index -> new Answer.InProgress(Duration.ZERO));
        });
    return items.answers();
  }

  /** Tells whether some of those that stay open are busy. */
  private boolean claimSomeInside(Runner runner, Batch.Part<Item.Claim, Answer> part) {
    List<Item.Claim> open = part.open();
    List<Look> looks =
        runner.run(
            connection -> {
              long stamp = ThreadLocalRandom.current().nextLong();
              return events.of(
                  connection, open, stamp, () -> dialect.claimInside(connection, open, stamp));
            });
    part.answerOpen(index -> answer(open.get(index).request(), looks.get(index)));
    return looks.stream().anyMatch(Look::isBusy);
  }

  private static long nanos(Duration duration) {
    return duration.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT.toNanos() : duration.toNanos();
  }

  /** Null if the look is out of date. */
  private @Nullable Answer answer(ClaimRequest request, Look look) {
    Look.Grant grant = look.grant();
    if (grant != null) {
      Claim claim = new Claim(request.scope(), request.key(), grant.token(), grant.attempt());
      Duration lease = Duration.ofMillis(Limits.millis(request.lease()));
      return new Answer.Claimed(claim, lease, grant.checkpoint());
    }
    Row row = look.row();
    if (row == null) {
      return null;
    }
    ClaimMachine.Decision<Answer> decision =
        machine.claim(row.record(), request, look.nowMicros(), look.floor());
    if (decision.write() == null) {
      return decision.answer();
    }
    return look.isBusy() ? new Answer.InProgress(Duration.ZERO) : null;
  }

  List<Held> settle(Runner runner, List<? extends Settlement> batch) {
    return change(
        runner,
        batch.stream().<Item.Settle>map(Item.Settle::new).toList(),
        (connection, items, stamp) ->
            events.of(
                connection,
                items,
                stamp,
                () -> dialect.settle(connection, items, stamp, runner.isInside())),
        (record, item, now) -> machine.settle(record, item.settlement(), now));
  }

  /**
   * Of several, those whose rows are locked are not waited for; where nothing else is in the batch,
   * they are, since a row for which many ask may be locked whenever it is looked at.
   */
  List<Held> renew(Runner runner, List<Renewal> batch) {
    List<Item.Renew> items = batch.stream().map(Item.Renew::new).toList();
    Decide<Item.Renew> decide = (record, item, now) -> machine.renew(record, item.renewal(), now);
    List<Held> answers =
        items.size() > 1 ? changeFree(runner, items, dialect::renewFree, decide) : List.of();
    return answers.stream().allMatch(Held.UNKNOWN::equals)
        ? change(runner, items, dialect::renew, decide)
        : answers;
  }

  private <I extends Item, A> Batch<I, A> batchOf(List<I> items) {
    return new Batch<>(items, dialect.mostBytes());
  }

  /** Of several, those whose rows are locked are not waited for. */
  List<Held> settleFree(Runner runner, List<? extends Settlement> batch) {
    if (batch.size() == 1) {
      return settle(runner, batch);
    }
    return changeFree(
        runner,
        batch.stream().<Item.Settle>map(Item.Settle::new).toList(),
        (connection, items, stamp) ->
            events.of(connection, items, stamp, () -> dialect.settleFree(connection, items, stamp)),
        (record, item, now) -> machine.settle(record, item.settlement(), now));
  }

  private <I extends Item> List<Held> changeFree(
      Runner runner, List<I> items, Statement<I> statement, Decide<I> decide) {
    Batch<I, Held> all = batchOf(items);
    all.forEachStatement(
        part -> {
          changeSome(runner, part, statement, decide, PAUSE);
          part.answerOpen(index -> Held.UNKNOWN);
        });
    return all.answers();
  }

  /** Tells what was written: where the row's stamp is the statement's own. */
  List<Boolean> put(Runner runner, List<ClaimRecord> batch) {
    Batch<Item.Put, Boolean> items = batchOf(batch.stream().map(Item.Put::new).toList());
    items.forEachStatement(
        part -> {
          long stamp = ThreadLocalRandom.current().nextLong();
          List<Item.Put> open = part.open();
          runner.run(
              connection ->
                  events.of(connection, open, stamp, () -> dialect.put(connection, open, stamp)));
          List<Look> looks =
              runner.run(
                  connection -> dialect.find(connection, open.stream().map(Item::id).toList()));
          part.answerOpen(index -> looks.get(index).by(stamp).grant() != null);
        });
    return items.answers();
  }

  private interface Statement<I> {
    BitSet run(Connection connection, List<I> items, long stamp) throws SQLException;
  }

  private interface Decide<I> {
    ClaimMachine.Decision<Held> on(@Nullable ClaimRecord record, I item, long nowMicros);
  }

  private <I extends Item> List<Held> change(
      Runner runner, List<I> batch, Statement<I> statement, Decide<I> decide) {
    Batch<I, Held> items = batchOf(batch);
    items.forEachStatement(
        part -> {
          changeSome(runner, part, statement, decide, 0);
          if (!part.isDone()) {
            throw new StoreException(
                StoreException.Kind.UNAVAILABLE,
                "a claim of key "
                    + part.open().get(0).key()
                    + " was changed by others "
                    + TRIES
                    + " times while it was to be settled or renewed, ask again");
          }
        });
    return items.answers();
  }

  /** Leaves those open that are held still, and were not changed all the same. */
  private <I extends Item> void changeSome(
      Runner runner,
      Batch.Part<I, Held> part,
      Statement<I> statement,
      Decide<I> decide,
      long pauseNanos) {
    long stamp = ThreadLocalRandom.current().nextLong();
    for (int i = 0; i < TRIES && !part.isDone(); i++) {
      if (i > 0 && pauseNanos > 0) {
        LockSupport.parkNanos(pauseNanos);
      }
      List<I> open = part.open();
      BitSet held = runner.run(connection -> statement.run(connection, open, stamp));
      part.answerOpen(index -> held.get(index) ? Held.HELD : null);
      if (!part.isDone()) {
        List<I> rest = part.open();
        List<Look> looks =
            runner.run(
                connection -> dialect.find(connection, rest.stream().map(Item::id).toList()));
        part.answerOpen(index -> answer(rest.get(index), looks.get(index), stamp, decide));
      }
    }
  }

  /** Null if the item is held still, though the statement did not find it so. */
  private static <I> @Nullable Held answer(I item, Look look, long stamp, Decide<I> decide) {
    Row row = look.row();
    if (row != null && row.stamp() == stamp) {
      return Held.HELD;
    }
    ClaimMachine.Decision<Held> decision =
        decide.on(row == null ? null : row.record(), item, look.nowMicros());
    return decision.write() == null ? decision.answer() : null;
  }

  List<Optional<ClaimRecord>> find(Runner runner, List<RecordId> ids) {
    List<Optional<ClaimRecord>> found = new ArrayList<>();
    for (int from = 0; from < ids.size(); from += Batch.MOST_ITEMS) {
      List<RecordId> some = ids.subList(from, Math.min(from + Batch.MOST_ITEMS, ids.size()));
      for (Look look : runner.run(connection -> dialect.find(connection, some))) {
        long now = Math.floorDiv(look.nowMicros(), 1_000);
        found.add(
            Optional.ofNullable(look.row()).map(Row::record).filter(it -> !it.isExpired(now)));
      }
    }
    return found;
  }
}
