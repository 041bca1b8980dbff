package dev.onlyonce.store.tiered.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that want one key at the same time, with the authority held up between them. */
class RoundTest {

  private static final Scope SCOPE = Scope.of("orders");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration GUARD = Duration.ofMinutes(1);
  private static final Key KEY = Key.of("k");
  private static final Fingerprint ONE = Fingerprint.sha256(new byte[] {1});
  private static final Fingerprint TWO = Fingerprint.sha256(new byte[] {2});

  private final ScriptedStore store = new ScriptedStore();
  private final TieredEngine engine = open(store);

  private static TieredEngine open(ScriptedStore store) {
    Settings settings = new Settings(Authority.DATABASE);
    settings.database = Tier.of(store);
    settings.nearBytes = 1 << 20;
    return TieredEngine.open(settings);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private static ClaimRequest request(Key key, long requestId) {
    return ClaimRequest.of(SCOPE, key, requestId, HOUR, Lapse.TAKE);
  }

  private static ClaimRequest atOnce(Key key, long requestId) {
    return request(key, requestId).settlingNow(Result.NONE, HOUR);
  }

  /** A call in a thread of its own. */
  private final class Call {
    private final FutureTask<List<Answer>> task;
    private final Thread thread;

    Call(ClaimRequest... batch) {
      task = new FutureTask<>(() -> engine.claim(List.of(batch)));
      thread = new Thread(task);
      thread.setDaemon(true);
      thread.start();
    }

    void awaitWaiting() {
      Await.until(
          "a call that waits",
          GUARD,
          () -> thread.getState() == Thread.State.WAITING || task.isDone());
    }

    List<Answer> answers() {
      try {
        return task.get();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Holds up calls of these requests until the latch is open. */
  private static Consumer<List<ClaimRequest>> holdUp(long requestId, CountDownLatch gate) {
    return batch -> {
      if (batch.stream().anyMatch(it -> it.requestId() == requestId)) {
        try {
          gate.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    };
  }

  private static StoreException unavailable() {
    return new StoreException(Kind.UNAVAILABLE, "the answer got lost");
  }

  private static Consumer<List<ClaimRequest>> failOnce() {
    AtomicBoolean first = new AtomicBoolean(true);
    return batch -> {
      if (first.getAndSet(false)) {
        throw unavailable();
      }
    };
  }

  private void loseTheAnswerOf(ClaimRequest request) {
    store.afterClaim = failOnce();
    assertThatThrownBy(() -> engine.claim(List.of(request))).hasMessage("the answer got lost");
  }

  @Test
  @Semantics(13)
  void a_request_whose_answer_got_lost_is_granted_again_beside_another_one_for_its_key() {
    for (boolean isAtOnce : List.of(true, false)) {
      Key key = Key.of("key-" + isAtOnce);
      ClaimRequest lost = isAtOnce ? atOnce(key, 1) : request(key, 1);
      loseTheAnswerOf(lost);
      CountDownLatch gate = new CountDownLatch(1);
      store.beforeClaim = holdUp(2, gate);
      Call other = new Call(isAtOnce ? atOnce(key, 2) : request(key, 2));
      other.awaitWaiting();
      Call again = new Call(lost);
      again.awaitWaiting();
      gate.countDown();
      assertThat(other.answers()).doesNotHaveAnyElementsOfTypes(Answer.Claimed.class);
      assertThat(again.answers()).hasOnlyElementsOfType(Answer.Claimed.class);
    }
  }

  @Test
  @Semantics(13)
  void what_a_call_was_granted_is_answered_though_the_call_that_it_waited_for_has_failed() {
    CountDownLatch gate = new CountDownLatch(1);
    store.beforeClaim =
        holdUp(1, gate)
            .andThen(
                batch -> {
                  if (batch.get(0).requestId() == 1) {
                    throw unavailable();
                  }
                });
    Call other = new Call(request(KEY, 1));
    other.awaitWaiting();
    Call both = new Call(atOnce(Key.of("mine"), 2), atOnce(KEY, 3));
    both.awaitWaiting();
    gate.countDown();
    assertThat(both.answers()).hasSize(2).hasOnlyElementsOfType(Answer.Claimed.class);
    assertThatThrownBy(other::answers).hasMessageContaining("the answer got lost");
  }

  @Test
  @Semantics({4, 5})
  void who_waits_gets_no_answer_to_another_request_of_the_same_batch() {
    Claim first = granted(request(KEY, 1).withFingerprint(ONE));
    settle(new Settlement.Release(first, Duration.ZERO, Settlement.Attempts.KEEP, HOUR));
    Claim second = granted(request(KEY, 2)); // inherits the fingerprint, and its copy does not
    settle(new Settlement.Complete(second, Result.NONE, HOUR));
    CountDownLatch gate = new CountDownLatch(1);
    store.beforeClaim = holdUp(4, gate);
    Call other = new Call(request(KEY, 3), request(KEY, 4).withFingerprint(TWO));
    other.awaitWaiting();
    Call joins = new Call(request(KEY, 5).withFingerprint(TWO));
    joins.awaitWaiting();
    gate.countDown();
    assertThat(other.answers().get(0)).as("from the copy").isInstanceOf(Answer.Done.class);
    assertThat(other.answers().get(1)).isEqualTo(new Answer.Mismatch(ONE));
    assertThat(joins.answers()).containsExactly(new Answer.Mismatch(ONE));
  }

  @Test
  void who_waits_for_a_key_that_is_granted_is_told_so_and_does_not_ask() {
    CountDownLatch gate = new CountDownLatch(1);
    store.beforeClaim =
        holdUp(1, gate)
            .andThen(
                batch -> {
                  if (batch.get(0).requestId() == 2) {
                    throw unavailable();
                  }
                });
    Call first = new Call(request(KEY, 1));
    first.awaitWaiting();
    Call joins = new Call(request(KEY, 2));
    joins.awaitWaiting();
    gate.countDown();
    assertThat(first.answers()).hasOnlyElementsOfType(Answer.Claimed.class);
    assertThat(joins.answers()).hasOnlyElementsOfType(Answer.InProgress.class);
    assertThat(engine.statistics().joined()).isEqualTo(1);
  }

  private Claim granted(ClaimRequest request) {
    return ((Answer.Claimed) engine.claim(List.of(request)).get(0)).claim();
  }

  private void settle(Settlement settlement) {
    engine.settle(List.of(settlement));
  }
}
