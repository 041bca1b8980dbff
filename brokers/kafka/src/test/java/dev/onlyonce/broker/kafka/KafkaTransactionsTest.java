package dev.onlyonce.broker.kafka;

import static dev.onlyonce.broker.kafka.Cluster.bytes;
import static dev.onlyonce.broker.kafka.Cluster.numbers;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.Scope;
import dev.onlyonce.broker.kafka.KafkaTransactions.Processor;
import dev.onlyonce.services.KafkaBroker;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(Servers.class)
class KafkaTransactionsTest {
  private static final Scope SCOPE = Scope.of("billing");

  private final String group = Cluster.name("billing");
  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = MemoryStore.builder().time(time).build();
  private final FaultyStore store = FaultyStore.over(memory);
  private Cluster cluster;
  private String orders;
  private String invoices;

  @BeforeEach
  void connect(@Shared KafkaBroker broker) throws Exception {
    cluster = new Cluster(broker);
    orders = cluster.topic(2);
    invoices = cluster.topic(1);
  }

  @AfterEach
  void disconnect() {
    cluster.close();
    store.close();
  }

  @Test
  void what_is_written_and_the_offsets_of_what_was_read_are_committed_together() throws Exception {
    cluster.send(orders, 0, 0, 700);
    try (KafkaTransactions billing = plain("a")) {
      run(billing, 700, this::invoice);
    }
    assertThat(cluster.committed(group, orders, 0)).isEqualTo(700);
    assertThat(invoices()).isEqualTo(numbers(0, 700));
  }

  @Test
  void what_a_processor_that_fails_has_written_is_not_there_and_its_record_comes_again()
      throws Exception {
    cluster.send(orders, 0, 0, 10);
    try (KafkaTransactions billing = plain("a")) {
      AtomicInteger failures = new AtomicInteger();
      Processor fails =
          order -> {
            if (body(order).equals("7")) {
              failures.incrementAndGet();
              throw new IllegalArgumentException("no such customer");
            }
            return invoice(order);
          };
      Reader.until(
          () -> failures.get() == 2,
          () -> {
            try {
              billing.runOnce(fails);
            } catch (Exception e) {
              assertThat(e).hasMessage("no such customer");
            }
          });
      assertThat(cluster.committed(group, orders, 0)).isEqualTo(-1);
      run(billing, 10, this::invoice);
    }
    assertThat(invoices()).isEqualTo(numbers(0, 10));
  }

  @Test
  void a_zombie_is_fenced_by_its_successor_under_the_same_transactional_id() throws Exception {
    cluster.send(orders, 0, 0, 10);
    try (KafkaTransactions zombie = plain("a")) {
      assertThatThrownBy(
              () ->
                  run(
                      zombie,
                      10,
                      order -> {
                        if (body(order).equals("9")) {
                          plain("a").close();
                        }
                        return invoice(order);
                      }))
          .isInstanceOf(KafkaException.class);
      assertThatThrownBy(() -> zombie.runOnce(this::invoice))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("open others under this transactional.id");
    }
    try (KafkaTransactions successor = plain("a")) {
      run(successor, 10, this::invoice);
    }
    assertThat(invoices()).isEqualTo(numbers(0, 10));
  }

  @ParameterizedTest
  @EnumSource
  @Semantics(84)
  void a_zombie_whose_partitions_were_given_away_commits_nothing(RebalanceTest.Protocol protocol)
      throws Exception {
    cluster.send(orders, 0, 0, 10);
    String[] settings = {protocol.setting(), protocol.value(), "max.poll.interval.ms", "1500"};
    try (KafkaTransactions zombie = open(with("a", settings));
        KafkaTransactions next = open(with("b", settings))) {
      AtomicInteger passed = new AtomicInteger();
      Processor stalls =
          order -> {
            if (body(order).equals("9") && passed.get() == 0) {
              passed.addAndGet(runUntil(next, 10, this::invoice));
            }
            return invoice(order);
          };
      AtomicInteger rounds = new AtomicInteger();
      Reader.until(() -> passed.get() == 10, () -> rounds.addAndGet(runOnce(zombie, stalls)));
      assertThat(rounds).hasValue(0);
    }
    assertThat(invoices()).isEqualTo(numbers(0, 10));
  }

  @Test
  void a_killed_process_leaves_nothing_out_and_nothing_twice() throws Exception {
    int count = 3_000;
    cluster.send(orders, 0, 0, count / 2);
    cluster.send(orders, 1, count / 2, count);
    for (int kill = 0; kill < 3; kill++) {
      try (WorkerProcess worker = worker()) {
        for (int i = 0; i < 3; i++) {
          worker.awaitLine(line -> line.startsWith("passed"), Duration.ofMinutes(1));
        }
        worker.kill();
      }
    }
    try (WorkerProcess worker = worker()) {
      Reader.until(() -> isAt(count / 2), Thread::onSpinWait);
    }
    assertThat(invoices()).containsExactlyInAnyOrderElementsOf(numbers(0, count));
  }

  private WorkerProcess worker() {
    return WorkerProcess.of(BillingWorker.class)
        .arguments(cluster.servers(), orders, invoices, group)
        .start();
  }

  private boolean isAt(long offset) {
    try {
      return cluster.committed(group, orders, 0, 1).equals(List.of(offset, offset));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Semantics({3, 82})
  void copies_of_a_key_lead_to_one_message() throws Exception {
    sendKeys(0, "a", "b", "a");
    sendKeys(1, "b", "c");
    try (KafkaTransactions billing = claiming("a")) {
      run(billing, 5, this::invoice);
      sendKeys(1, "a", "c", "d");
      run(billing, 3, this::invoice);
    }
    assertThat(invoices()).containsExactlyInAnyOrder("a", "b", "c", "d");
    assertThat(cluster.committed(group, orders, 0, 1)).containsExactly(3L, 5L);
  }

  @Test
  @Semantics(9)
  void a_key_whose_transaction_was_committed_is_done_though_its_process_died_before_it_said_so()
      throws Exception {
    sendKeys(0, "a", "b");
    try (KafkaTransactions dying = claiming("a")) {
      store.failAlways(Moment.BEFORE, Verb.SETTLE);
      run(dying, 2, this::invoice);
    }
    store.heal();
    time.advance(Limits.LEASE);
    sendKeys(1, "a", "b", "c");
    try (KafkaTransactions next = claiming("a")) {
      run(next, 3, this::invoice);
    }
    assertThat(invoices()).containsExactly("a", "b", "c");
    assertThat(memory.find(SCOPE, Key.of("a")))
        .get()
        .extracting("state")
        .isEqualTo(ClaimState.DONE);
  }

  @Test
  @Semantics(9)
  void a_key_whose_transaction_was_not_committed_is_run_again() throws Exception {
    sendKeys(0, "a");
    try (KafkaTransactions dying = claiming("a")) {
      store.failAlways(Moment.AFTER, Verb.RENEW);
      store.failAlways(Moment.BEFORE, Verb.SETTLE);
      Reader.until(
          () -> store.failures(Verb.RENEW) > 0,
          () -> {
            try {
              dying.runOnce(this::invoice);
            } catch (StoreException e) {
              // as it was told to
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
    }
    store.heal();
    time.advance(Limits.LEASE);
    sendKeys(1, "a");
    try (KafkaTransactions next = claiming("a")) {
      run(next, 2, this::invoice);
    }
    assertThat(invoices()).containsExactly("a");
  }

  @Test
  @Semantics({10, 35})
  void while_the_transaction_of_a_stalled_holder_is_open_nobody_decides_about_its_key()
      throws Exception {
    KafkaTransactions stalled = claiming("a");
    KafkaTransactions next = claiming("b");
    try (stalled;
        next) {
      Reader.until(
          () -> owners() == 2,
          () -> {
            runOnce(stalled, this::invoice);
            runOnce(next, this::invoice);
          });
      sendKeys(0, "a");
      sendKeys(1, "a");
      CompletableFuture<Integer> first;
      try (FaultyStore.Block block = store.block(Moment.AFTER, Verb.RENEW)) {
        first = CompletableFuture.supplyAsync(() -> runUntil(stalled, 1, this::invoice));
        block.await(1);
        time.advance(Limits.LEASE);
        assertThat(runOnce(next, this::invoice)).isZero();
        assertThat(invoices()).isEmpty();
      }
      first.get();
      run(next, 1, this::invoice);
    }
    assertThat(invoices()).containsExactly("a");
  }

  @Test
  @Semantics({2, 84})
  void a_key_that_somebody_holds_is_not_passed_and_others_are() throws Exception {
    memory.claim(
        List.of(ClaimRequest.of(SCOPE, Key.of("b"), 1, Duration.ofMinutes(5), Lapse.TAKE)));
    sendKeys(0, "a", "b", "c");
    sendKeys(1, "d", "e");
    try (KafkaTransactions billing = claiming("a")) {
      run(billing, 3, this::invoice);
      assertThat(cluster.committed(group, orders, 0, 1)).containsExactly(1L, 2L);
      time.advance(Duration.ofMinutes(5));
      run(billing, 2, this::invoice);
    }
    assertThat(invoices()).containsExactlyInAnyOrder("a", "b", "c", "d", "e");
  }

  @Test
  @Semantics({36, 49})
  void a_record_without_a_key_is_told_unless_there_is_something_for_it() throws Exception {
    cluster.send(orders, 0, 0, 1);
    try (KafkaTransactions billing = claiming("a")) {
      assertThatThrownBy(() -> run(billing, 1, this::invoice))
          .hasMessageContaining(orders + "-0 at offset 0: header id is missing")
          .hasMessageContaining("unkeyed()");
    }
    try (KafkaTransactions billing =
        claiming(with("a"), store).unkeyed(order -> message("dead " + body(order))).open()) {
      run(billing, 1, this::invoice);
    }
    assertThat(invoices()).containsExactly("dead 0");
  }

  @Test
  void settings_without_which_nothing_of_this_holds_are_refused() {
    assertThatThrownBy(() -> KafkaTransactions.with(consumer(), cluster.settings()))
        .hasMessageContaining("transactional.id must be set");
    assertThatThrownBy(
            () ->
                KafkaTransactions.with(
                    consumer("isolation.level", "read_uncommitted"),
                    cluster.settings("transactional.id", "a")))
        .hasMessageContaining("isolation.level must not be read_uncommitted");
  }

  private int owners() {
    try {
      return (int)
          cluster
              .admin()
              .describeConsumerGroups(List.of(group))
              .all()
              .get()
              .get(group)
              .members()
              .stream()
              .filter(it -> !it.assignment().topicPartitions().isEmpty())
              .count();
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(GroupIdNotFoundException.class);
      return 0;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Runs until so many records were passed. */
  private static void run(KafkaTransactions billing, int count, Processor processor)
      throws Exception {
    int passed = 0;
    long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (passed < count) {
      assertThat(System.nanoTime() - end).as("passed only " + passed).isNegative();
      passed += billing.runOnce(processor);
    }
    assertThat(passed).isEqualTo(count);
  }

  private static int runUntil(KafkaTransactions billing, int count, Processor processor) {
    try {
      run(billing, count, processor);
      return count;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static int runOnce(KafkaTransactions billing, Processor processor) {
    try {
      return billing.runOnce(processor);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private KafkaTransactions plain(String id) {
    return open(with(id));
  }

  private KafkaTransactions claiming(String id) {
    return claiming(with(id), store).open();
  }

  private static KafkaTransactions.Builder claiming(
      KafkaTransactions.Builder builder, ClaimStore store) {
    return builder.claims(store, SCOPE, KafkaKeys.header("id"));
  }

  private static KafkaTransactions open(KafkaTransactions.Builder builder) {
    return builder.open();
  }

  private KafkaTransactions.Builder with(String id, String... consumer) {
    return KafkaTransactions.with(
            consumer(consumer), cluster.settings("transactional.id", group + "-" + id))
        .topics(orders)
        .maxWait(Duration.ofMillis(100));
  }

  private Map<String, Object> consumer(String... more) {
    Map<String, Object> settings = new HashMap<>(cluster.settings(more));
    settings.put("group.id", group);
    return settings;
  }

  private void sendKeys(int partition, String... keys) throws Exception {
    try (Producer<byte[], byte[]> producer = cluster.producer()) {
      for (String key : keys) {
        ProducerRecord<byte[], byte[]> record =
            new ProducerRecord<>(orders, partition, null, bytes(key));
        record.headers().add("id", bytes(key));
        producer.send(record).get();
      }
    }
  }

  private List<Message> invoice(Delivery order) {
    return message(body(order));
  }

  private List<Message> message(String body) {
    return List.of(new Message(body, invoices, null, "all", Map.of(), bytes(body)));
  }

  private static String body(Delivery delivery) {
    return new String(delivery.body(), UTF_8);
  }

  /** What a reader of committed records finds before the end, which a transaction must not hide. */
  private List<String> invoices() {
    TopicPartition partition = new TopicPartition(invoices, 0);
    List<String> found = new ArrayList<>();
    try (Consumer<byte[], byte[]> reader =
        new KafkaConsumer<>(
            cluster.settings("isolation.level", "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      reader.assign(List.of(partition));
      reader.seekToBeginning(List.of(partition));
      long end = reader.endOffsets(List.of(partition)).get(partition);
      Reader.until(
          () -> reader.position(partition) >= end,
          () ->
              reader
                  .poll(Duration.ofMillis(100))
                  .forEach(it -> found.add(new String(it.value(), UTF_8))));
    }
    return found;
  }
}
