package dev.onlyonce.broker.rocketmq;

import static dev.onlyonce.broker.rocketmq.Cluster.message;
import static dev.onlyonce.broker.rocketmq.Cluster.numbers;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Backoff;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Scope;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.services.RocketMqServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.services.Shared;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListener;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(Servers.class)
class OnceListenerTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int ATTEMPTS = 2;

  private final String group = Cluster.name("billing");
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final MemoryStore store = MemoryStore.builder().forgetful().build();
  private final FaultyStore faults = FaultyStore.over(store);
  private final OnlyOnce<@Nullable Void> once =
      OnlyOnce.builder(faults)
          .scope("billing")
          .onInDoubt(OnInDoubt.PARK)
          .onFailure(
              OnFailure.defaults().attempts(ATTEMPTS).backoff(Backoff.fixed(Duration.ofMillis(50))))
          .build();
  private Cluster cluster;
  private RocketPublisher publisher;
  private @Nullable DefaultMQPushConsumer consumer;

  @BeforeEach
  void connect(@Shared RocketMqServer server) {
    cluster = new Cluster(server);
    publisher = cluster.publisher();
  }

  @AfterEach
  void disconnect() {
    if (consumer != null) {
      consumer.shutdown();
    }
    once.close();
    publisher.close();
  }

  @Test
  void a_batch_of_duplicates_is_acknowledged_without_the_handler() throws Exception {
    String topic = cluster.topic(1);
    List<Message> all = messages(topic, 0, 40);
    send(all);
    send(all);

    start(topic, it -> onceConcurrently(it, this::handle));

    Await.until("all of it is acknowledged", PATIENCE, () -> acknowledged(topic) == 80);
    assertThat(handled).containsExactlyInAnyOrderElementsOf(numbers(0, 40));
  }

  @Test
  void without_it_each_copy_is_handled() throws Exception {
    String topic = cluster.topic(1);
    List<Message> all = messages(topic, 0, 40);
    send(all);
    send(all);

    MessageListenerConcurrently naive =
        (batch, context) -> {
          batch.forEach(it -> handle(Messages.delivery(it)));
          return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        };
    start(topic, it -> naive);

    Await.until("all of it is acknowledged", PATIENCE, () -> acknowledged(topic) == 80);
    assertThat(handled).hasSize(80);
  }

  @Test
  void one_of_a_batch_that_fails_is_tried_again_and_the_others_are_not() throws Exception {
    String topic = cluster.topic(1);
    send(messages(topic, 0, 20));

    start(
        topic,
        it ->
            onceConcurrently(
                it,
                delivery -> {
                  handle(delivery);
                  if (body(delivery).equals("7") && count("7") == 1) {
                    throw new IllegalStateException("the bank is away");
                  }
                }));

    Await.until("the second attempt", PATIENCE, () -> count("7") == 2);
    Await.until("no more under way", PATIENCE, () -> acknowledged(topic) == 20);
    assertThat(handled).hasSize(21).containsAll(numbers(0, 20));
  }

  @Test
  void what_fails_for_good_is_a_dead_letter_and_can_be_sent_again() throws Exception {
    String topic = cluster.topic(1);
    send(messages(topic, 0, 5));
    List<String> accepted = new CopyOnWriteArrayList<>();

    start(
        topic,
        it ->
            onceConcurrently(
                it,
                delivery -> {
                  handle(delivery);
                  if (body(delivery).equals("3") && count("3") <= ATTEMPTS) {
                    throw new IllegalStateException("no such account");
                  }
                  accepted.add(body(delivery));
                }));

    Await.until("the last attempt", PATIENCE, () -> count("3") == ATTEMPTS);
    Delivery letter = deadLetter();
    assertThat(body(letter)).isEqualTo("3");
    assertThat(letter.recordKey()).isEqualTo(Cluster.bytes("3"));
    assertThat(accepted).containsExactlyInAnyOrder("0", "1", "2", "4");

    allowAnotherAttempt(Key.of("3"));
    send(List.of(message("3", topic, letter.orderingKey(), body(letter))));
    Await.until("it is handled", PATIENCE, () -> accepted.contains("3"));
  }

  /** It was delivered without end. */
  @Test
  void one_whose_extractor_throws_is_a_dead_letter() throws Exception {
    String topic = cluster.topic(1);
    send(messages(topic, 0, 3));

    start(
        topic,
        it ->
            OnceListener.of(
                    once,
                    it,
                    delivery -> {
                      if (body(delivery).equals("1")) {
                        throw new IllegalArgumentException("boom");
                      }
                      return RocketKeys.messageKeys().extract(delivery);
                    },
                    this::handle)
                .concurrently());

    assertThat(body(deadLetter())).isEqualTo("1");
    Await.until("all of it is acknowledged", PATIENCE, () -> acknowledged(topic) == 3);
    assertThat(handled).containsExactlyInAnyOrder("0", "2");
  }

  @Test
  void a_queue_whose_head_fails_waits_and_no_other_and_goes_on_after_the_last_attempt()
      throws Exception {
    String topic = cluster.topic(4);
    List<Message> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      for (String order : List.of("a", "b", "c", "d", "e", "f")) {
        all.add(message(order + "-" + i, topic, order, order + "-" + i));
      }
    }
    send(all);
    List<String> accepted = new CopyOnWriteArrayList<>();

    start(
        topic,
        it ->
            OnceListener.of(
                    once,
                    it,
                    RocketKeys.messageKeys(),
                    delivery -> {
                      handle(delivery);
                      if (body(delivery).equals("a-4")) {
                        throw new IllegalStateException("no such account");
                      }
                      accepted.add(body(delivery));
                    })
                .orderly());

    Await.until("all but one", PATIENCE, () -> accepted.size() == all.size() - 1);
    assertThat(count("a-4")).isEqualTo(ATTEMPTS);
    assertThat(handled).hasSize(all.size() + ATTEMPTS - 1);
    for (String order : List.of("a", "b", "c", "d", "e", "f")) {
      List<String> inOrder = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        inOrder.add(order + "-" + i);
      }
      inOrder.remove("a-4");
      assertThat(accepted).filteredOn(it -> it.startsWith(order)).isEqualTo(inOrder);
    }
    assertThat(body(deadLetter())).isEqualTo("a-4");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_store_that_is_away_is_waited_for(boolean isOrderly) throws Exception {
    String topic = cluster.topic(1);
    send(messages(topic, 0, 5));
    faults.failAlways(FaultyStore.Moment.BEFORE, FaultyStore.Verb.CLAIM);

    start(
        topic,
        it -> {
          OnceListener<@Nullable Void> listener =
              OnceListener.of(once, it, RocketKeys.messageKeys(), this::handle);
          return isOrderly ? listener.orderly() : listener.concurrently();
        });
    Await.until("it was asked", PATIENCE, () -> faults.failures(FaultyStore.Verb.CLAIM) > 0);
    faults.heal();

    Await.until("all of it", PATIENCE, () -> handled.size() == 5);
    Await.until("acknowledged", PATIENCE, () -> acknowledged(topic) == 5);
    assertThat(handled).containsExactlyInAnyOrderElementsOf(numbers(0, 5));
  }

  @Test
  void a_new_group_that_begins_at_the_last_offset_reads_what_the_broker_has_in_memory()
      throws Exception {
    String topic = cluster.topic(1);
    send(messages(topic, 0, 5));
    DefaultMQPushConsumer made = cluster.pusher(group);
    consumer = made;
    made.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET);
    made.subscribe(topic, "*");
    made.registerMessageListener(onceConcurrently(made, this::handle));
    made.start();

    Await.until("all of it", PATIENCE, () -> handled.size() == 5);
  }

  @Test
  void a_consumer_that_broadcasts_is_refused() {
    DefaultMQPushConsumer broadcasting = cluster.pusher(group);
    broadcasting.setMessageModel(MessageModel.BROADCASTING);
    assertThatThrownBy(() -> onceConcurrently(broadcasting, this::handle))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was BROADCASTING");
  }

  private MessageListenerConcurrently onceConcurrently(
      DefaultMQPushConsumer by, DeliveryHandler.Action action) {
    return OnceListener.of(once, by, RocketKeys.messageKeys(), action).concurrently();
  }

  private void start(String topic, Function<DefaultMQPushConsumer, MessageListener> listener)
      throws Exception {
    DefaultMQPushConsumer made = cluster.pusher(group);
    consumer = made;
    made.subscribe(topic, "*");
    made.setConsumeMessageBatchMaxSize(16);
    MessageListener chosen = listener.apply(made);
    if (chosen instanceof MessageListenerOrderly orderly) {
      made.registerMessageListener(orderly);
    } else {
      made.registerMessageListener((MessageListenerConcurrently) chosen);
    }
    made.start();
  }

  /** How far the group's offsets in the queues of the topic have come. */
  @SuppressWarnings("deprecation") // nothing else says so
  private long acknowledged(String topic) {
    return consumer.getOffsetStore().cloneOffsetTable(topic).values().stream()
        .mapToLong(it -> it)
        .sum();
  }

  private Delivery deadLetter() {
    String topic = "%DLQ%" + group;
    cluster.server().createTopic(topic, 1);
    try (Reader reader = new Reader(cluster.source(Cluster.name("redrive"), topic))) {
      return reader.read(1).arrivals.get(0).delivery();
    }
  }

  /** What {@code onlyonce claims reset} does. */
  private void allowAnotherAttempt(Key key) {
    Scope scope = Scope.of("billing");
    ClaimRecord record = store.find(scope, key).orElseThrow();
    ClaimRequest request =
        ClaimRequest.of(scope, key, 1, Limits.LEASE, Lapse.PARK).expecting(record.token());
    Answer.Claimed mine = (Answer.Claimed) store.claim(List.of(request)).get(0);
    store.settle(
        List.of(
            new Settlement.Release(
                mine.claim(), Duration.ZERO, Settlement.Attempts.RESET, Limits.RETENTION)));
  }

  private static List<Message> messages(String topic, int from, int to) {
    return numbers(from, to).stream().map(it -> message(it, topic, null, it)).toList();
  }

  private void send(List<Message> all) {
    assertThat(publisher.publish(all)).hasOnlyElementsOfType(Confirmed.class);
  }

  private void handle(Delivery delivery) {
    handled.add(body(delivery));
  }

  private long count(String body) {
    return handled.stream().filter(body::equals).count();
  }

  private static String body(Delivery delivery) {
    return new String(delivery.body(), UTF_8);
  }
}
