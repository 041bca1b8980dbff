package dev.onlyonce.testkit.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.onlyonce.Backoff;
import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Result;
import dev.onlyonce.messaging.Acknowledge;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Publisher;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a consumer does with messages. */
class MessageConsumerTest extends ConsumerLab {

  @Test
  void each_key_takes_effect_once_and_every_delivery_is_acknowledged() {
    for (int i = 0; i < 1_000; i++) {
      send("order-" + i % 700);
    }
    start(consumer(this::effect));

    awaitEmpty();
    assertThat(effects).hasSize(700).doesNotHaveDuplicates();
    assertThat(count(Event.Duplicate.class)).isEqualTo(300);
    assertThat(count(Event.Completed.class)).isEqualTo(700);
  }

  @Test
  @Semantics(104)
  void what_has_one_ordering_key_is_handled_in_order_and_the_rest_in_parallel() {
    CountDownLatch both = new CountDownLatch(2);
    DeliveryHandler.Action handler =
        delivery -> {
          if (body(delivery).endsWith("/1")) {
            both.countDown();
            both.await(); // only ends if two orders are handled at the same time
          }
          effect(delivery);
        };
    for (int i = 1; i <= 100; i++) {
      send("a/" + i);
      send("b/" + i);
    }
    start(consumer(handler));

    awaitEmpty();
    assertThat(effectsOf("a")).isEqualTo(numbered("a", 100));
    assertThat(effectsOf("b")).isEqualTo(numbered("b", 100));
  }

  @Test
  @Semantics({6, 83, 88, 89})
  void one_that_fails_is_tried_again_before_those_behind_it_and_others_pass() {
    AtomicInteger tries = new AtomicInteger();
    DeliveryHandler.Action handler =
        delivery -> {
          if (body(delivery).equals("a/1") && tries.incrementAndGet() < 3) {
            throw new IllegalStateException("not yet");
          }
          effect(delivery);
        };
    onFailure = onFailure.backoff(Backoff.fixed(Duration.ofMillis(300)).withoutJitter());
    for (int i = 1; i <= 20; i++) {
      send("a/" + i);
    }
    start(consumer(handler));
    Await.until("the first failure", PATIENCE, () -> tries.get() > 0);
    for (int i = 1; i <= 20; i++) {
      broker.send("a", "b/" + i); // the same lane, and another order
    }

    awaitEmpty();
    assertThat(effectsOf("a")).isEqualTo(numbered("a", 20));
    assertThat(effectsOf("b")).hasSize(20);
    assertThat(effects.indexOf("b/1")).isLessThan(effects.indexOf("a/1"));
    assertThat(store.find(SCOPE, Key.of("a/1")).orElseThrow().attempt()).isEqualTo(3);
    assertThat(store.find(SCOPE, Key.of("a/2")).orElseThrow().attempt())
        .as("those behind it give their attempts back")
        .isEqualTo(1);
  }

  @Test
  @Semantics({7, 21})
  void one_that_uses_up_its_attempts_is_a_dead_letter_and_the_lane_goes_on() {
    send("a/1");
    send("a/2");
    start(
        consumer(
            delivery -> {
              if (body(delivery).equals("a/1")) {
                throw new IllegalStateException("never");
              }
              effect(delivery);
            }));

    awaitEmpty();
    assertThat(effects).containsExactly("a/2");
    Publisher.Message letter = onlyLetter();
    assertThat(new String(letter.body(), UTF_8)).isEqualTo("a/1");
    assertThat(header(letter, DeadLetters.REASON)).isEqualTo("FAILED");
    assertThat(header(letter, DeadLetters.DETAIL)).contains("IllegalStateException: never");
    assertThat(header(letter, DeadLetters.ATTEMPTS)).isEqualTo("3");
    assertThat(header(letter, DeadLetters.KEY)).isEqualTo("a/1");
    assertThat(header(letter, DeadLetters.SCOPE)).isEqualTo("billing");
    assertThat(header(letter, DeadLetters.SOURCE)).startsWith("lane-");
    assertThat(header(letter, DeadLetters.POSITION)).isEqualTo("0");
    var record = store.find(SCOPE, Key.of("a/1")).orElseThrow();
    assertThat(record.state()).isEqualTo(ClaimState.FAILED);
    assertThat(header(letter, DeadLetters.TOKEN)).isEqualTo(Long.toString(record.token()));
  }

  @Test
  @Semantics(7)
  void a_copy_of_a_key_that_has_failed_is_acknowledged_and_is_no_second_letter() {
    onFailure = onFailure.failOn(IllegalArgumentException.class);
    AtomicInteger runs = new AtomicInteger();
    DeliveryHandler.Action handler =
        delivery -> {
          runs.incrementAndGet();
          throw new IllegalArgumentException("no such account");
        };
    send("a/1");
    start(consumer(handler));
    awaitEmpty();
    send("a/1");

    awaitEmpty();
    assertThat(runs).hasValue(1);
    assertThat(onlyLetter()).isNotNull();
    assertThat(count(Event.FailedBefore.class)).isEqualTo(1);
  }

  @Test
  @Semantics(22)
  @Case(55)
  void one_whose_dead_letter_is_refused_stays_unacknowledged_and_is_tried_again() {
    broker.refuse(2);
    send("a/1");
    broker.send("a", "b/1");
    start(
        consumer(
            delivery -> {
              if (body(delivery).equals("a/1")) {
                throw new IllegalStateException("never");
              }
              effect(delivery);
            }));

    Await.until("the other order", PATIENCE, () -> effects.contains("b/1"));
    Await.until("a refusal", PATIENCE, () -> count(Event.DeadLetterFailed.class) > 0);
    assertThat(broker.unacknowledged()).isEqualTo(1);
    assertThat(store.find(SCOPE, Key.of("a/1")).orElseThrow().state())
        .isEqualTo(ClaimState.CLAIMED);

    awaitEmpty();
    assertThat(onlyLetter()).isNotNull();
    assertThat(count(Event.DeadLetterFailed.class)).isEqualTo(2);
    assertThat(store.find(SCOPE, Key.of("a/1")).orElseThrow().state()).isEqualTo(ClaimState.FAILED);
  }

  @Test
  @Semantics({22, 25})
  void closing_before_a_dead_letter_is_confirmed_leaves_it_to_the_next_consumer() {
    broker.refuse(1_000_000);
    send("a/1");
    AtomicInteger runs = new AtomicInteger();
    DeliveryHandler.Action handler =
        delivery -> {
          runs.incrementAndGet();
          throw new IllegalStateException("never");
        };
    MessageConsumer first = start(consumer(handler));
    Await.until("a refusal", PATIENCE, () -> count(Event.DeadLetterFailed.class) > 0);
    first.close();
    assertThat(broker.unacknowledged()).isEqualTo(1);
    broker.refuse(0);
    start(consumer(handler));

    awaitEmpty();
    assertThat(onlyLetter()).isNotNull();
    assertThat(runs).hasValue(3);
  }

  @Test
  @Semantics(82)
  void copies_in_one_poll_follow_the_first_one() {
    AtomicInteger tries = new AtomicInteger();
    for (int i = 0; i < 5; i++) {
      send("a/1");
    }
    start(
        consumer(
            delivery -> {
              if (tries.incrementAndGet() == 1) {
                assertThat(broker.unacknowledged()).isEqualTo(5);
                throw new IllegalStateException("not yet");
              }
              effect(delivery);
            }));

    awaitEmpty();
    assertThat(effects).containsExactly("a/1");
    assertThat(count(Event.Duplicate.class)).isEqualTo(4);
  }

  @Test
  @Semantics(4)
  void a_copy_with_another_payload_is_a_dead_letter_whether_it_comes_together_or_later() {
    send("a/1=100");
    send("a/1=200");
    start(consumer(this::effect).fingerprints(it -> Fingerprint.sha256(it.body())));
    awaitEmpty();
    send("a/1=300");
    send("a/1=100");

    awaitEmpty();
    assertThat(effects).containsExactly("a/1=100");
    assertThat(broker.published("letters"))
        .extracting(it -> new String(it.body(), UTF_8), it -> header(it, DeadLetters.REASON))
        .containsExactly(tuple("a/1=200", "MISMATCH"), tuple("a/1=300", "MISMATCH"));
  }

  @Test
  @Semantics({36, 49})
  @Case(5)
  void one_without_a_key_is_a_dead_letter_and_so_is_one_whose_extractor_throws() {
    send("");
    send("!");
    send("a/1");
    start(consumer(this::effect));

    awaitEmpty();
    assertThat(effects).containsExactly("a/1");
    assertThat(broker.published("letters"))
        .extracting(it -> header(it, DeadLetters.REASON))
        .containsExactly("UNKEYED", "UNKEYED");
    assertThat(broker.published("letters"))
        .extracting(it -> header(it, DeadLetters.DETAIL))
        .anyMatch(it -> it.contains("the body is empty"))
        .anyMatch(it -> it.contains("cannot be found") && it.contains("boom"));
  }

  @Test
  void ones_without_a_key_are_handled_if_that_was_chosen() {
    send("");
    send("");
    start(engine().bypassUnkeyed().build(), this::effect);

    awaitEmpty();
    assertThat(effects).containsExactly("", "");
  }

  @Test
  @Semantics({2, 84})
  void a_key_that_another_process_holds_is_waited_for_and_not_acknowledged() {
    Answer answer =
        store.claim(List.of(ClaimRequest.of(SCOPE, Key.of("a/1"), 1, PATIENCE, Lapse.TAKE))).get(0);
    Claim claim = ((Answer.Claimed) answer).claim();
    send("a/1");
    send("a/2");
    start(consumer(this::effect));
    Await.until("it to be looked at", PATIENCE, () -> count(Event.InProgress.class) > 1);

    assertThat(broker.unacknowledged()).isEqualTo(2);
    assertThat(effects).isEmpty();
    store.settle(List.of(new Settlement.Complete(claim, Result.NONE, Duration.ofDays(1))));

    awaitEmpty();
    assertThat(effects).containsExactly("a/2");
  }

  @Test
  @Semantics(69)
  void a_store_that_is_away_is_waited_for_and_nothing_is_acknowledged() {
    faulty.failAlways(FaultyStore.Moment.BEFORE);
    send("a/1");
    start(consumer(this::effect));
    Await.until("failures", PATIENCE, () -> count(Event.StoreFailed.class) > 3);
    assertThat(broker.unacknowledged()).isEqualTo(1);
    assertThat(effects).isEmpty();
    faulty.heal();

    awaitEmpty();
    assertThat(effects).containsExactly("a/1");
  }

  @Test
  void settlements_that_the_store_did_not_take_are_repeated_before_anything_is_acknowledged() {
    send("a/1");
    AtomicBoolean isDown = new AtomicBoolean();
    start(
        consumer(
            delivery -> {
              effect(delivery);
              faulty.failAlways(FaultyStore.Moment.BEFORE, FaultyStore.Verb.SETTLE);
              isDown.set(true);
            }));
    Await.until("it to be handled", PATIENCE, isDown::get);
    Await.until("failures", PATIENCE, () -> count(Event.StoreFailed.class) > 1);
    assertThat(broker.unacknowledged()).isEqualTo(1);
    faulty.heal();

    awaitEmpty();
    assertThat(effects).containsExactly("a/1");
  }

  @Test
  void one_in_doubt_is_a_dead_letter_where_an_operator_decides() {
    store.claim(List.of(request("a/1")));
    send("a/1");
    start(engine().onInDoubt(OnInDoubt.PARK).build(), this::effect);

    awaitEmpty();
    assertThat(effects).isEmpty();
    assertThat(header(onlyLetter(), DeadLetters.REASON)).isEqualTo("IN_DOUBT");
  }

  @Test
  @Semantics(84)
  void when_consumers_join_and_leave_each_key_takes_effect_once() {
    List<MessageConsumer> consumers = new ArrayList<>();
    consumers.add(start(consumer(this::effect)));
    Random random = new Random(7);
    for (int i = 0; i < 3_000; i++) {
      send("order-" + random.nextInt(200) + "/" + random.nextInt(10));
      if (i % 300 == 299) {
        consumers.add(start(consumer(this::effect)));
      }
      if (i % 500 == 499) {
        consumers.remove(0).close();
      }
    }

    awaitEmpty();
    assertThat(effects).doesNotHaveDuplicates();
  }

  @Test
  @Semantics(84)
  void a_consumer_that_is_expelled_settles_by_its_token_and_nothing_is_done_twice() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    DeliveryHandler.Action handler =
        delivery -> {
          runs.incrementAndGet();
          mayGoOn.await();
          effect(delivery);
        };
    send("a/1");
    Source source = broker.join();
    start(consumer(source, handler));
    Await.until("the handler", PATIENCE, () -> runs.get() == 1);
    broker.expel(source);
    start(consumer(handler));
    Await.until("the other one to wait", PATIENCE, () -> count(Event.InProgress.class) > 0);
    mayGoOn.countDown();

    awaitEmpty();
    assertThat(effects).containsExactly("a/1");
  }

  @Test
  @Semantics({20, 25})
  void closing_lets_handlers_end_and_gives_back_the_attempts_of_those_that_have_not_begun() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CountDownLatch runs = new CountDownLatch(1);
    for (int i = 1; i <= 10; i++) {
      send("a/" + i);
    }
    MessageConsumer consumer =
        start(
            consumer(
                delivery -> {
                  runs.countDown();
                  mayGoOn.await();
                  effect(delivery);
                }));
    await(runs);
    Thread closer = new Thread(consumer::close);
    closer.start();
    Await.until(
        "the claims behind it to be given back",
        PATIENCE,
        () -> state("a/10") != ClaimState.CLAIMED);
    mayGoOn.countDown();
    join(closer);

    assertThat(effects).containsExactly("a/1");
    assertThat(broker.unacknowledged()).isEqualTo(9);
    assertThat(consumer.ended()).isCompleted();
    start(consumer(this::effect));
    awaitEmpty();
    assertThat(effects).isEqualTo(numbered("a", 10));
    assertThat(store.find(SCOPE, Key.of("a/10")).orElseThrow().attempt()).isEqualTo(1);
  }

  @Test
  @Semantics(25)
  void closing_interrupts_handlers_after_the_grace() {
    CountDownLatch runs = new CountDownLatch(1);
    send("a/1");
    MessageConsumer consumer =
        start(
            consumer(
                delivery -> {
                  runs.countDown();
                  new CountDownLatch(1).await();
                }));
    await(runs);
    consumer.close(Duration.ofMillis(50));

    assertThat(broker.unacknowledged()).isEqualTo(1);
    assertThat(state("a/1")).isEqualTo(ClaimState.RELEASED);
    assertThat(store.find(SCOPE, Key.of("a/1")).orElseThrow().attempt()).isZero();
  }

  @Test
  void closing_the_engine_ends_its_consumers() {
    OnlyOnce<@Nullable Void> engine = engine().build();
    MessageConsumer consumer = start(engine, this::effect);
    engine.close();

    Await.until("the consumer to end", PATIENCE, consumer.ended()::isDone);
  }

  @Test
  void manually_a_delivery_is_acknowledged_when_the_user_says_so() {
    List<Delivery> handled = Collections.synchronizedList(new ArrayList<>());
    send("a/1");
    send("a/2");
    send("a/1");
    MessageConsumer consumer = start(consumer(handled::add).acknowledge(Acknowledge.MANUAL));
    Await.until("both, and the copy", PATIENCE, () -> broker.unacknowledged() == 2);
    Await.until("all", PATIENCE, () -> consumer.underWay() == 0);
    consumer.acknowledge(handled.get(1));
    Await.until("the second", PATIENCE, () -> broker.unacknowledged() == 1);
    consumer.acknowledge(handled.get(0));

    awaitEmpty();
  }

  @Test
  void manually_a_delivery_may_be_acknowledged_in_its_handler() {
    AtomicBoolean isBound = new AtomicBoolean();
    MessageConsumer[] itself = new MessageConsumer[1];
    CountDownLatch bound = new CountDownLatch(1);
    send("a/1");
    itself[0] =
        start(
            consumer(
                    delivery -> {
                      bound.await();
                      itself[0].acknowledge(delivery);
                      isBound.set(true);
                    })
                .acknowledge(Acknowledge.MANUAL));
    bound.countDown();

    awaitEmpty();
    assertThat(isBound).isTrue();
  }

  @Test
  void in_batches_a_poll_is_acknowledged_when_all_of_it_is_finished() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    for (int i = 1; i <= 10; i++) {
      broker.send("a", "order-" + i);
    }
    start(
        consumer(
                delivery -> {
                  if (body(delivery).equals("order-5")) {
                    mayGoOn.await();
                  }
                  effect(delivery);
                })
            .acknowledge(Acknowledge.BATCH));
    Await.until("the others", PATIENCE, () -> effects.size() == 9);
    Await.until("them to be settled", PATIENCE, () -> count(Event.Completed.class) == 9);
    assertThat(broker.unacknowledged()).isEqualTo(10);
    mayGoOn.countDown();

    awaitEmpty();
  }

  @Test
  void at_most_once_a_handler_that_fails_is_not_run_again_and_the_message_is_a_dead_letter() {
    send("a/1");
    send("a/2");
    start(
        engine().mode(DeliveryMode.AT_MOST_ONCE).build(),
        delivery -> {
          effect(delivery);
          throw new IllegalStateException("lost");
        });

    awaitEmpty();
    assertThat(effects).containsExactly("a/1", "a/2");
    assertThat(broker.published("letters")).hasSize(2);
  }

  @Test
  void at_least_once_no_key_is_remembered() {
    send("a/1");
    start(engine().mode(DeliveryMode.AT_LEAST_ONCE).build(), this::effect);
    awaitEmpty();
    send("a/1");

    awaitEmpty();
    assertThat(effects).containsExactly("a/1", "a/1");
    assertThat(store.find(SCOPE, Key.of("a/1"))).isEmpty();
  }

  @Test
  void a_broker_that_is_away_is_waited_for() {
    broker.failPolls(new SourceException(SourceException.Kind.PASSING, "away", null));
    send("a/1");
    MessageConsumer consumer = start(consumer(this::effect));
    Await.until("failures", PATIENCE, () -> count(Event.SourceFailed.class) > 2);
    assertThat(consumer.ended()).isNotDone();
    broker.failPolls(null);

    awaitEmpty();
    assertThat(effects).containsExactly("a/1");
  }

  @Test
  void a_broker_that_does_not_let_the_consumer_read_ends_it() {
    broker.failPolls(
        new SourceException(SourceException.Kind.FINAL, "topic orders: not authorised", null));
    MessageConsumer consumer = start(consumer(this::effect));

    Await.until("the end", PATIENCE, consumer.ended()::isDone);
    assertThatThrownBy(consumer.ended()::join)
        .hasCauseInstanceOf(SourceException.class)
        .hasMessageContaining("not authorised");
  }

  @Test
  void no_more_is_received_than_may_be_under_way() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    for (int i = 0; i < 200; i++) {
      send("order-" + i);
    }
    MessageConsumer consumer =
        start(
            consumer(
                    delivery -> {
                      mayGoOn.await();
                      effect(delivery);
                    })
                .mostUnderWay(50));
    Await.until("as many as may be", PATIENCE, () -> consumer.underWay() == 50);
    assertThat(count(Event.Received.class)).isEqualTo(50);
    mayGoOn.countDown();

    awaitEmpty();
    assertThat(effects).hasSize(200);
  }

  @Test
  void handlers_keys_and_dead_letters_must_be_chosen() {
    OnlyOnce<@Nullable Void> engine = engine().build();
    opened.add(engine);

    assertThatThrownBy(() -> engine.consume(broker.join()).handler(this::effect).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("keys must be set");
    assertThatThrownBy(
            () ->
                engine.consume(broker.join()).keys(ConsumerLab::key).handler(this::effect).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("deadLetters must be chosen");
  }

  @Test
  void whatever_fails_each_key_takes_effect_once_and_in_order() {
    lease = Duration.ofSeconds(5); // what a consumer that is closed has claimed without knowing it
    for (int seed = 0; seed < 20; seed++) {
      effects.clear();
      Random random = new Random(seed);
      Set<String> failed = ConcurrentHashMap.newKeySet();
      DeliveryHandler.Action handler =
          delivery -> {
            if (body(delivery).hashCode() % 7 == 0 && failed.add(body(delivery))) {
              throw new IllegalStateException("not yet");
            }
            effect(delivery);
          };
      String run = "run-" + seed + "-";
      MessageConsumer first = start(consumer(handler));
      int[] next = new int[20];
      for (int i = 0; i < 500; i++) {
        int order = random.nextInt(next.length);
        if (random.nextInt(5) > 0 || next[order] == 0) {
          next[order]++;
        }
        send(run + order + "/" + next[order]);
        if (i == 200) {
          faulty.failRandomly(seed, 0.2);
          start(consumer(handler));
        }
        if (i == 300) {
          first.close();
        }
      }
      awaitEmpty();
      faulty.heal();
      for (int order = 0; order < next.length; order++) {
        assertThat(effectsOf(run + order))
            .as("seed %d", seed)
            .isEqualTo(numbered(run + order, next[order]));
      }
    }
  }
}
