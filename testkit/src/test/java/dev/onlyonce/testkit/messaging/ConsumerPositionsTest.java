package dev.onlyonce.testkit.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.DeliveryTransaction;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Positions that transactions save: never ahead of what is committed, and all of it at the end. */
class ConsumerPositionsTest extends ConsumerLab {

  /** A database of one process, in which some effects fail once. */
  private static final class MemoryTransaction implements DeliveryTransaction {
    private final Map<Key, String> done = new HashMap<>();
    private final Map<String, Set<Long>> finished = new HashMap<>();
    private final Map<String, Position> saved = new ConcurrentHashMap<>();
    private final Set<Key> failed = new HashSet<>();
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> copies = ConcurrentHashMap.newKeySet();
    private final Random random;

    MemoryTransaction(long seed) {
      random = new Random(seed);
    }

    @Override
    public Scope scope() {
      return SCOPE;
    }

    @Override
    public synchronized List<Handled> handleAll(List<Item> batch, Map<String, Position> positions) {
      List<Handled> answers = new ArrayList<>();
      Set<String> stopped = new HashSet<>();
      boolean isFinal = true;
      for (Item item : batch) {
        boolean waits = item.orderingKey() != null && stopped.contains(item.orderingKey());
        boolean fails = !waits && random.nextInt(10) == 0 && failed.add(item.key());
        if (waits || fails) {
          isFinal = false;
          stopped.add(String.valueOf(item.orderingKey()));
          answers.add(
              waits
                  ? new Answered(new Answer.Deferred(Duration.ZERO))
                  : new Threw(new IllegalStateException("not yet")));
          continue;
        }
        finished
            .computeIfAbsent(item.delivery().source(), lane -> new TreeSet<>())
            .add(Long.parseLong(item.delivery().position()));
        String body = new String(item.delivery().body(), UTF_8);
        answers.add(
            done.putIfAbsent(item.key(), body) == null
                ? new Applied(Result.NONE)
                : new Answered(new Answer.Done(Result.NONE, Duration.ZERO, false)));
      }
      if (isFinal) {
        positions.forEach(this::save);
      }
      return answers;
    }

    /** What stands before the position must have been committed: these, or a copy of their key. */
    private void save(String lane, Position position) {
      saved.put(lane, position);
      for (long number = 0; number < position.next(); number++) {
        if (!finished.getOrDefault(lane, Set.of()).contains(number) && !isCopy(lane, number)) {
          problems.add(lane + " " + position + " is ahead of " + number);
        }
      }
    }

    private boolean isCopy(String lane, long number) {
      return copies.contains(lane + " " + number);
    }

    @Override
    public synchronized void fail(Key key, String reason) {
      problems.add(key + " has failed: " + reason);
    }
  }

  @Test
  @Semantics({83, 91})
  void positions_are_never_ahead_of_what_is_committed_and_in_the_end_have_all_of_it() {
    for (int seed = 0; seed < 10; seed++) {
      MemoryBroker fresh = new MemoryBroker(3);
      MemoryTransaction transaction = new MemoryTransaction(seed);
      Map<String, Integer> sent = new HashMap<>();
      Set<String> keys = new HashSet<>();
      Random random = new Random(seed);
      for (int i = 0; i < 400; i++) {
        String order = "order-" + random.nextInt(30);
        String key = order + "/" + random.nextInt(20);
        String lane = fresh.send(order, key);
        int number = sent.merge(lane, 1, Integer::sum) - 1;
        if (!keys.add(key)) {
          transaction.copies.add(lane + " " + number);
        }
      }
      OnlyOnce<@Nullable Void> engine = engine().build();
      opened.add(engine);
      MessageConsumer consumer =
          engine
              .consume(fresh.join())
              .keys(ConsumerLab::key)
              .orderBy(it -> body(it).split("/", 2)[0])
              .transaction(transaction)
              .savePositions()
              .batch(20)
              .deadLetters(DeadLetters.discard())
              .start();
      Await.until("all", PATIENCE, fresh::isEmpty);
      consumer.close();

      assertThat(transaction.problems).as("seed %d", seed).isEmpty();
      assertThat(transaction.done).hasSameSizeAs(keys);
      sent.forEach(
          (lane, count) ->
              assertThat(transaction.saved.get(lane)).isEqualTo(new Position(0, count)));
    }
  }
}
