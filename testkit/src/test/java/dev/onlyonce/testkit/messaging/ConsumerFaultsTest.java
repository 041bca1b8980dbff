package dev.onlyonce.testkit.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Backoff;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Key;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.messaging.Acknowledge;
import dev.onlyonce.messaging.ConsumerBuilder;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.messaging.DeliveryHandler;
import dev.onlyonce.messaging.MessageConsumer;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.testkit.FaultyStore;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of messages when something fails beside the handler, or ends too early. */
class ConsumerFaultsTest extends ConsumerLab {

  private final AtomicInteger runs = new AtomicInteger();

  @Test
  @Semantics({18, 69})
  void a_handler_that_has_returned_is_not_run_again_however_long_the_store_is_away() {
    lease = Duration.ofMillis(200);
    send("a/1");
    start(
        consumer(
            delivery -> {
              runs.incrementAndGet();
              faulty.failAlways(Moment.BEFORE);
            }));
    Await.until("the handler", PATIENCE, () -> runs.get() == 1);
    int failures = (int) count(Event.StoreFailed.class);
    Await.until(
        "the lease to be over several times",
        PATIENCE,
        () -> count(Event.StoreFailed.class) > failures + 10);
    faulty.heal();

    awaitEmpty();
    assertThat(runs).hasValue(1);
  }

  @Test
  @Semantics(25)
  void what_is_handled_and_not_settled_when_the_consumer_ends_is_settled_all_the_same() {
    FaultyStore.Block block = faulty.block(Moment.BEFORE, Verb.SETTLE);
    for (int i = 1; i <= 20; i++) {
      send("order-" + i + "/1");
    }
    MessageConsumer consumer = start(consumer(this::effect));
    Await.until("all to be handled", PATIENCE, () -> effects.size() == 20);
    Await.until("a settlement on its way", PATIENCE, () -> block.waiting() > 0);
    Thread closer = new Thread(() -> consumer.close(Duration.ZERO));
    closer.start();
    Await.until("its end", PATIENCE, () -> consumer.ended().isDone() || block.waiting() > 1);
    block.close();
    join(closer);
    start(consumer(this::effect));

    awaitEmpty();
    assertThat(effects).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  @Semantics({22, 25})
  void one_that_fails_for_good_after_the_end_is_no_failed_key_without_a_letter() {
    onFailure = onFailure.failOn(IllegalArgumentException.class);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    DeliveryHandler.Action handler =
        delivery -> {
          began.countDown();
          awaitUninterruptibly(mayGoOn);
          throw new IllegalArgumentException("no such account");
        };
    send("a/1");
    MessageConsumer consumer = start(consumer(handler));
    await(began);
    consumer.close(Duration.ZERO);
    mayGoOn.countDown();
    start(consumer(handler));

    awaitEmpty();
    assertThat(onlyLetter()).isNotNull();
    assertThat(state("a/1")).isEqualTo(ClaimState.FAILED);
  }

  @Test
  void a_claim_that_is_answered_after_the_end_is_given_back() {
    FaultyStore.Block block = faulty.block(Moment.AFTER, Verb.CLAIM);
    send("a/1");
    MessageConsumer consumer = start(consumer(this::effect));
    Await.until("a claim on its way", PATIENCE, () -> block.waiting() > 0);
    consumer.close(Duration.ZERO);
    block.close();

    Await.until("the claim given back", PATIENCE, () -> state("a/1") == ClaimState.RELEASED);
    assertThat(store.find(SCOPE, Key.of("a/1")).orElseThrow().attempt()).isZero();
  }

  @Test
  void a_source_that_cannot_be_closed_does_not_keep_the_consumer_from_ending() {
    ScriptedSource source =
        new ScriptedSource(
            () -> {
              throw new IllegalStateException("cannot be closed");
            });
    MessageConsumer consumer = start(consumer(source, this::effect));
    consumer.close();
    assertThat(consumer.ended()).isCompleted();
  }

  @Test
  @Semantics({21, 36})
  void one_without_a_key_that_is_handled_all_the_same_has_its_attempts_too() {
    send("");
    send("a/1");
    OnlyOnce<@Nullable Void> engine = engine().bypassUnkeyed().build();
    start(
        engine,
        delivery -> {
          if (body(delivery).isEmpty()) {
            runs.incrementAndGet();
            throw new IllegalStateException("never");
          }
          effect(delivery);
        });

    awaitEmpty();
    assertThat(runs).hasValue(3);
    assertThat(effects).containsExactly("a/1");
    assertThat(header(onlyLetter(), DeadLetters.REASON)).isEqualTo("FAILED");
  }

  @Test
  @Semantics(49)
  @SuppressWarnings("NullAway") // what a user's code may do
  void an_extractor_that_says_null_ends_no_consumer() {
    send("a/1");
    Key none = null;
    start(consumer(this::effect).keys(it -> new KeyExtractor.Keyed(none)));

    awaitEmpty();
    assertThat(header(onlyLetter(), DeadLetters.REASON)).isEqualTo("UNKEYED");
  }

  @Test
  @Semantics(21)
  void at_least_once_attempts_are_counted_too() {
    send("a/1");
    start(
        engine().mode(DeliveryMode.AT_LEAST_ONCE).build(),
        delivery -> {
          runs.incrementAndGet();
          throw new IllegalStateException("never");
        });

    awaitEmpty();
    assertThat(runs).hasValue(3);
    assertThat(onlyLetter()).isNotNull();
  }

  @Test
  @Semantics({84, 89})
  void a_lane_that_is_lost_and_comes_back_keeps_its_order() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    DeliveryHandler.Action handler =
        delivery -> {
          if (runs.incrementAndGet() == 1) {
            began.countDown();
            awaitUninterruptibly(mayGoOn);
            throw new IllegalStateException("not yet");
          }
          effect(delivery);
        };
    ScriptedSource source = new ScriptedSource().deliver("lane 1 a/1");
    start(consumer(source, handler));
    await(began);
    await(source.lose("lane"));
    source.deliver("lane 1 a/1", "lane 2 a/2");
    Await.until("both", PATIENCE, () -> count(Event.Received.class) == 3);
    mayGoOn.countDown();

    Await.until("both", PATIENCE, () -> source.acknowledged.size() == 2);
    assertThat(effects).containsExactly("a/1", "a/2");
  }

  @Test
  void in_batches_lanes_that_stay_are_acknowledged_when_another_of_their_poll_is_lost() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    ScriptedSource source = new ScriptedSource().deliver("x 1 a/1", "y 1 b/1");
    start(
        consumer(
                source,
                delivery -> {
                  if (body(delivery).equals("a/1")) {
                    began.countDown();
                    awaitUninterruptibly(mayGoOn);
                  }
                  effect(delivery);
                })
            .acknowledge(Acknowledge.BATCH));
    await(began);
    await(source.lose("x"));
    mayGoOn.countDown();

    Await.until("the other lane", PATIENCE, () -> source.acknowledged.contains("y 1"));
    assertThat(source.acknowledged).containsExactly("y 1");
  }

  @Test
  void one_lane_whose_head_waits_leaves_room_for_others() {
    onFailure = onFailure.backoff(Backoff.fixed(Duration.ofHours(1)).withoutJitter());
    ScriptedSource source = new ScriptedSource();
    source.deliver("x 0 a/0");
    for (int i = 1; i < 200; i++) {
      source.deliver("x " + i + " a/" + i);
    }
    ConsumerBuilder<@Nullable Void> builder =
        consumer(
                source,
                delivery -> {
                  if (body(delivery).startsWith("a/")) {
                    throw new IllegalStateException("not yet");
                  }
                  effect(delivery);
                })
            .mostUnderWay(50);
    source.deliver("y 0 b/0");
    start(builder);

    Await.until("the other lane", PATIENCE, () -> effects.contains("b/0"));
  }

  @Test
  void what_the_user_has_not_acknowledged_counts_as_under_way() {
    for (int i = 0; i < 500; i++) {
      send("order-" + i);
    }
    MessageConsumer consumer =
        start(consumer(this::effect).acknowledge(Acknowledge.MANUAL).mostUnderWay(50));
    Await.until("as many as may be", PATIENCE, () -> effects.size() == 50);
    Await.until("them to be settled", PATIENCE, () -> consumer.underWay() == 0);
    assertThat(effects).hasSize(50);
  }

  @Test
  void a_consumer_may_be_closed_by_what_it_calls() {
    AtomicReference<@Nullable MessageConsumer> itself = new AtomicReference<>();
    CountDownLatch bound = new CountDownLatch(1);
    send("a/1");
    MessageConsumer consumer =
        start(
            consumer(this::effect)
                .orderBy(
                    it -> {
                      awaitUninterruptibly(bound);
                      itself.get().close();
                      return null;
                    }));
    itself.set(consumer);
    bound.countDown();

    Await.until("its end", PATIENCE, () -> consumer.ended().isDone());
  }

  @Test
  @Semantics({20, 84})
  void what_waits_for_a_thread_is_given_back_when_its_lane_is_revoked() {
    CountDownLatch mayGoOn = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    ScriptedSource source = new ScriptedSource().deliver("x 1 a/1", "y 1 b/1");
    start(
        consumer(
                source,
                delivery -> {
                  began.countDown();
                  awaitUninterruptibly(mayGoOn);
                  effect(delivery);
                })
            .concurrency(1));
    await(began);
    await(source.revoke("y"));

    assertThat(state("b/1")).isEqualTo(ClaimState.RELEASED);
    assertThat(store.find(SCOPE, Key.of("b/1")).orElseThrow().attempt()).isZero();
    mayGoOn.countDown();
    Await.until("the other", PATIENCE, () -> source.acknowledged.size() == 1);
  }

  @Test
  void numbers_that_cannot_be_are_refused() {
    ConsumerBuilder<@Nullable Void> builder = consumer(new ScriptedSource(), this::effect);
    assertThatThrownBy(() -> builder.concurrency(Integer.MAX_VALUE))
        .hasMessage("concurrency must be at most 1,000,000, was 2,147,483,647");
    assertThatThrownBy(() -> builder.mostUnderWay(0))
        .hasMessage("most under way must be at least 1, was 0");
    assertThatThrownBy(() -> builder.batch(10_001)).hasMessageContaining("at most 10,000");
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
