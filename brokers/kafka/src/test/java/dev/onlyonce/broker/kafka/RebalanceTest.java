package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two consumers of a group, which one thread polls in turn. */
class RebalanceTest {
  private static final int PARTITIONS = 4;
  private static final int RECORDS = 50;
  private static final int FINISHED = 20;

  private static KafkaBroker broker;

  private final String group = Cluster.name("billing");
  private Cluster cluster;
  private String topic;

  enum Protocol {
    EAGER("partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor"),
    COOPERATIVE(
        "partition.assignment.strategy",
        "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"),
    CONSUMER("group.protocol", "consumer");

    private final String setting;
    private final String value;

    Protocol(String setting, String value) {
      this.setting = setting;
      this.value = value;
    }

    String setting() {
      return setting;
    }

    String value() {
      return value;
    }
  }

  @BeforeAll
  static void start() {
    broker =
        KafkaBroker.start(
            Map.of(
                "group.min.session.timeout.ms", "1000",
                "group.consumer.min.session.timeout.ms", "1500",
                "group.consumer.session.timeout.ms", "1500",
                "group.consumer.min.heartbeat.interval.ms", "200",
                "group.consumer.heartbeat.interval.ms", "200"));
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @BeforeEach
  void fill() throws Exception {
    cluster = new Cluster(broker);
    topic = cluster.topic(PARTITIONS);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      cluster.send(topic, partition, 0, RECORDS);
    }
  }

  @AfterEach
  void disconnect() {
    cluster.close();
  }

  @ParameterizedTest
  @EnumSource
  @Semantics(84)
  void a_lane_that_is_handed_over_goes_on_behind_what_was_finished(Protocol protocol) {
    try (Reader first = reader(protocol).read(PARTITIONS * RECORDS)) {
      first.source.acknowledge(
          first.arrivals.stream().filter(it -> it.number() < FINISHED).toList());
      try (Reader second = reader(protocol)) {
        Reader.until(
            () -> second.arrivals.size() == 2 * (RECORDS - FINISHED),
            () -> pollBoth(first, second));
        Set<String> moved = Set.copyOf(lanesOf(second.arrivals));
        assertThat(moved).hasSize(2);
        assertThat(first.lost).isEmpty();
        assertThat(first.revoked).containsAll(moved);
        assertThat(first.revoked).hasSize(protocol == Protocol.EAGER ? PARTITIONS : 2);
        for (String lane : moved) {
          assertThat(
                  Reader.bodies(
                      second.arrivals.stream().filter(it -> it.lane().equals(lane)).toList()))
              .isEqualTo(numbers(FINISHED, RECORDS));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Semantics(84)
  void what_is_finished_while_a_lane_is_revoked_is_committed_before_it_is_handed_over(
      Protocol protocol) throws Exception {
    try (Reader first = reader(protocol).read(PARTITIONS * RECORDS)) {
      first.finishesWhatIsRevoked = true;
      try (Reader second = reader(protocol)) {
        Reader.until(() -> !first.revoked.isEmpty(), () -> pollBoth(first, second));
        for (int partition = 0; partition < PARTITIONS; partition++) {
          cluster.send(topic, partition, RECORDS, RECORDS + 1);
        }
        Reader.until(() -> second.arrivals.size() == 2, () -> pollBoth(first, second));
        assertThat(second.arrivals).extracting(Arrival::number).containsOnly((long) RECORDS);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Semantics({84, 85})
  void a_consumer_that_was_thrown_out_is_told_and_commits_nothing_any_more(Protocol protocol)
      throws Exception {
    try (Reader late = reader(protocol, "max.poll.interval.ms", "1500").read(PARTITIONS * RECORDS);
        Reader next = reader(protocol)) {
      next.read(PARTITIONS * RECORDS); // late does not poll meanwhile
      next.source.acknowledge(next.arrivals.stream().filter(it -> it.number() < FINISHED).toList());
      next.pollOnUntil(() -> committed().equals(all(FINISHED)));

      late.acknowledgeAll();
      Reader.until(
          () -> !late.lost.isEmpty(),
          () -> {
            late.pollOn();
            next.pollOn();
          });
      late.acknowledgeAll();
      late.pollOn();

      assertThat(late.lost).hasSize(PARTITIONS);
      assertThat(committed()).isEqualTo(all(FINISHED));
    }
  }

  @Test
  void what_a_killed_consumer_had_not_finished_is_delivered_to_the_next_one() throws Exception {
    try (WorkerProcess worker =
        WorkerProcess.of(ReadingWorker.class).arguments(broker.url(), topic, group).start()) {
      worker.awaitLine("committed", Duration.ofMinutes(1));
      worker.kill();
    }
    try (Reader next = reader(Protocol.COOPERATIVE).read(PARTITIONS * (RECORDS - FINISHED))) {
      assertThat(next.arrivals).extracting(Arrival::number).allMatch(it -> it >= FINISHED);
    }
  }

  private static void pollBoth(Reader first, Reader second) {
    first.poll();
    second.poll();
  }

  private static List<String> lanesOf(List<Arrival> arrivals) {
    return arrivals.stream().map(Arrival::lane).distinct().toList();
  }

  private Reader reader(Protocol protocol, String... more) {
    Map<String, Object> settings = cluster.settings(more);
    settings.put("group.id", group);
    settings.put(protocol.setting, protocol.value);
    if (protocol != Protocol.CONSUMER) {
      settings.put("heartbeat.interval.ms", "200");
      settings.put("session.timeout.ms", "6000");
    }
    return new Reader(KafkaSource.with(settings).topics(topic).open());
  }

  private List<Long> committed() {
    try {
      return cluster.committed(group, topic, IntStream.range(0, PARTITIONS).toArray());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static List<Long> all(long offset) {
    return IntStream.range(0, PARTITIONS).mapToObj(it -> offset).toList();
  }
}
