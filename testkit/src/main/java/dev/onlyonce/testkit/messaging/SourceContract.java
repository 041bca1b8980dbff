package dev.onlyonce.testkit.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.Source.Demand;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every {@link Source} must do. A test of a broker's adapter extends it, says how to send and
 * how to join, and starts each test with a topic or queue that is empty.
 */
public abstract class SourceContract {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(100);

  private final List<Source> opened = new ArrayList<>();
  private final Lanes lanes = new Lanes();

  /** Sends a message and waits until the broker has it. */
  protected abstract void send(String orderingKey, String body) throws Exception;

  /** Joins the group of consumers, or begins to read the queue. */
  protected abstract Source join() throws Exception;

  /** Remembers what it is told about lanes. */
  private static final class Lanes implements Source.Ownership {
    private final Set<String> gone = new HashSet<>();

    @Override
    public void revoked(Set<String> lanes) {
      gone.addAll(lanes);
    }

    @Override
    public void lost(Set<String> lanes) {
      gone.addAll(lanes);
    }
  }

  @AfterEach
  void closeSources() {
    opened.forEach(Source::close);
  }

  private Source open() throws Exception {
    Source source = join();
    opened.add(source);
    return source;
  }

  @Test
  void what_is_sent_arrives_in_order_for_each_ordering_key() throws Exception {
    for (int i = 0; i < 50; i++) {
      send("a", "a-" + i);
      send("b", "b-" + i);
    }

    List<Arrival> arrivals = receive(open(), 100);
    for (String order : List.of("a", "b")) {
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        expected.add(order + "-" + i);
      }
      assertThat(bodies(arrivals)).filteredOn(it -> it.startsWith(order)).isEqualTo(expected);
    }
    Map<String, Long> last = new HashMap<>();
    for (Arrival arrival : arrivals) {
      Long before = last.put(arrival.lane(), arrival.number());
      assertThat(arrival.number()).isGreaterThan(before == null ? -1 : before);
    }
  }

  @Test
  void what_was_not_acknowledged_is_delivered_again() throws Exception {
    send("a", "a-1");
    send("a", "a-2");
    Source first = open();
    receive(first, 2);
    first.close();

    assertThat(bodies(receive(open(), 2))).containsExactly("a-1", "a-2");
  }

  @Test
  void what_was_acknowledged_is_not_delivered_again() throws Exception {
    send("a", "a-1");
    send("a", "a-2");
    Source first = open();
    first.acknowledge(receive(first, 2));
    first.close();
    send("a", "a-3");

    assertThat(bodies(receive(open(), 1))).containsExactly("a-3");
  }

  @Test
  void an_earlier_delivery_that_was_not_acknowledged_is_delivered_again() throws Exception {
    for (int i = 1; i <= 3; i++) {
      send("a", "a-" + i);
    }
    Source first = open();
    List<Arrival> arrivals = receive(first, 3);
    first.acknowledge(List.of(arrivals.get(2)));
    first.acknowledge(List.of(arrivals.get(0)));
    first.close();

    assertThat(bodies(receive(open(), 1))).startsWith("a-2");
  }

  @Test
  void no_more_arrives_than_is_wanted_and_the_rest_later() throws Exception {
    for (int i = 0; i < 20; i++) {
      send("a", "a-" + i);
    }
    Source source = open();
    List<Arrival> arrivals = new ArrayList<>();
    Await.until(
        "all of it",
        PATIENCE,
        () -> {
          List<Arrival> some = source.poll(new Demand(3, SHORT, Set.of()), lanes);
          assertThat(some).hasSizeLessThanOrEqualTo(3);
          assertThat(source.poll(new Demand(0, Duration.ZERO, Set.of()), lanes)).isEmpty();
          arrivals.addAll(some);
          source.acknowledge(some);
          return arrivals.size() >= 20;
        });
    assertThat(bodies(arrivals)).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void nothing_arrives_from_lanes_that_are_full() throws Exception {
    send("a", "a-1");
    Source source = open();
    Arrival arrival = receive(source, 1).get(0);
    source.acknowledge(List.of(arrival));
    send("a", "a-2");

    for (int i = 0; i < 5; i++) {
      assertThat(source.poll(new Demand(10, SHORT, Set.of(arrival.lane())), lanes)).isEmpty();
    }
    assertThat(bodies(receive(source, 1))).containsExactly("a-2");
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES) // or it would be an hour
  void a_poll_that_waits_is_woken() throws Exception {
    Source source = open();
    source.poll(new Demand(1, SHORT, Set.of()), lanes);
    AtomicBoolean isBack = new AtomicBoolean();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch begun = new CountDownLatch(1);
    // The first thread that calls is the one that calls always: it is woken by another.
    Thread waker =
        new Thread(
            () -> {
              try {
                begun.await();
                while (!isBack.get()) {
                  source.wakeUp();
                }
              } catch (Throwable e) {
                thrown.set(e);
              }
            });
    waker.start();
    begun.countDown();
    source.poll(new Demand(1, Duration.ofHours(1), Set.of()), lanes);
    isBack.set(true);
    waker.join();

    assertThat(thrown).hasNullValue();
    send("a", "a-1");
    assertThat(bodies(receive(source, 1))).containsExactly("a-1");
  }

  @Test
  void when_another_consumer_joins_nothing_is_lost() throws Exception {
    Source first = open();
    for (int i = 0; i < 40; i++) {
      send("key-" + i, "a-" + i);
    }
    Set<String> seen = Collections.synchronizedSet(new HashSet<>());
    receive(first, 10).forEach(it -> seen.add(body(it)));
    Source second = open();
    for (int i = 40; i < 80; i++) {
      send("key-" + i, "a-" + i);
    }

    Await.until(
        "all of it",
        PATIENCE,
        () -> {
          for (Source source : List.of(first, second)) {
            List<Arrival> some = source.poll(new Demand(20, SHORT, Set.of()), lanes);
            some.forEach(it -> seen.add(body(it)));
            source.acknowledge(some);
          }
          return seen.size() == 80;
        });
  }

  @Test
  void it_says_where_it_reads() throws Exception {
    assertThat(open().description()).isNotBlank();
  }

  private List<Arrival> receive(Source source, int count) {
    List<Arrival> arrivals = new ArrayList<>();
    Await.until(
        count + " deliveries",
        PATIENCE,
        () -> {
          arrivals.addAll(source.poll(new Demand(count - arrivals.size(), SHORT, Set.of()), lanes));
          return arrivals.size() >= count;
        });
    return arrivals;
  }

  private static String body(Arrival arrival) {
    return new String(arrival.delivery().body(), UTF_8);
  }

  private static List<String> bodies(List<Arrival> arrivals) {
    return arrivals.stream().map(SourceContract::body).toList();
  }
}
