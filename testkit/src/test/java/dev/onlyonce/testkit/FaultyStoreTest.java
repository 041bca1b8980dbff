package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.FaultyStore.Block;
import dev.onlyonce.testkit.FaultyStore.Moment;
import dev.onlyonce.testkit.FaultyStore.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {

  private static final Duration LONG = Duration.ofHours(1);

  private final FaultyStore store = FaultyStore.over(MemoryStore.builder().forgetful().build());

  private static ClaimRequest request(String key) {
    return ClaimRequest.of(Scope.of("faulty"), Key.of(key), Lab.newRequestId(), LONG, Lapse.TAKE);
  }

  private Answer claim(ClaimRequest request) {
    return store.claim(List.of(request)).get(0);
  }

  private Claim claimed(ClaimRequest request) {
    return ((Answer.Claimed) claim(request)).claim();
  }

  private Held complete(Claim claim) {
    return store.settle(List.of(new Settlement.Complete(claim, Result.NONE, LONG))).get(0);
  }

  private static void assertUnavailable(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    StoreException e = catchThrowableOfType(StoreException.class, call);
    assertThat(e).isNotNull();
    assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE);
  }

  @Test
  void without_a_fault_every_verb_goes_through() {
    Claim claim = claimed(request("a"));
    assertThat(store.renew(List.of(new Renewal(claim, LONG, null)))).containsExactly(Held.HELD);
    assertThat(complete(claim)).isEqualTo(Held.HELD);
    assertThat(store.purge(1)).isZero();
    for (Verb verb : Verb.values()) {
      assertThat(store.calls(verb)).isEqualTo(1);
      assertThat(store.failures(verb)).isZero();
    }
  }

  @Test
  @Semantics(70)
  void a_call_that_fails_before_does_nothing() {
    ClaimRequest request = request("a");
    store.fail(Verb.CLAIM, Moment.BEFORE, 1);
    assertUnavailable(() -> claim(request));
    assertThat(claimed(request("a")).attempt()).as("of another").isEqualTo(1);
  }

  @Test
  @Semantics({70, 98})
  void a_call_that_fails_after_is_done_and_the_same_request_heals_it() {
    ClaimRequest request = request("a");
    store.fail(Verb.CLAIM, Moment.AFTER, 1);
    assertUnavailable(() -> claim(request));
    assertThat(claim(request("a"))).isInstanceOf(Answer.InProgress.class);
    Claim claim = claimed(request);
    assertThat(claim.attempt()).isEqualTo(1);
    store.fail(Verb.SETTLE, Moment.AFTER, 1);
    assertUnavailable(() -> complete(claim));
    assertThat(complete(claim)).isEqualTo(Held.ALREADY);
  }

  @Test
  void the_nth_call_of_a_verb_fails_once_and_no_other() {
    store.fail(Verb.SETTLE, Moment.BEFORE, 2);
    store.fail(Verb.CLAIM, Moment.BEFORE, 3);
    Claim a = claimed(request("a"));
    Claim b = claimed(request("b"));
    assertUnavailable(() -> claim(request("c")));
    assertThat(complete(a)).isEqualTo(Held.HELD);
    assertUnavailable(() -> complete(b));
    assertThat(complete(b)).isEqualTo(Held.HELD);
    claimed(request("c"));
    assertThat(store.calls(Verb.CLAIM)).isEqualTo(4);
    assertThat(store.failures(Verb.CLAIM)).isEqualTo(1);
    assertThat(store.failures(Verb.SETTLE)).isEqualTo(1);
    assertThatThrownBy(() -> store.fail(Verb.CLAIM, Moment.BEFORE, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("nth must be at least 1, was 0");
  }

  @Test
  @Semantics(69)
  void a_store_that_is_down_is_down_until_it_is_healed() {
    Claim claim = claimed(request("a"));
    store.failAlways(Moment.BEFORE);
    for (int i = 0; i < 3; i++) {
      assertUnavailable(() -> claim(request("b")));
      assertUnavailable(() -> complete(claim));
      assertUnavailable(() -> store.renew(List.of(new Renewal(claim, LONG, null))));
      assertUnavailable(() -> store.purge(1));
    }
    store.fail(Verb.CLAIM, Moment.AFTER, 1);
    store.heal();
    claimed(request("b"));
    assertThat(complete(claim)).isEqualTo(Held.HELD);
  }

  @Test
  void one_verb_may_be_down_alone() {
    store.failAlways(Moment.AFTER, Verb.SETTLE);
    Claim claim = claimed(request("a"));
    assertUnavailable(() -> complete(claim));
    assertThat(claim(request("a"))).as("it was done").isInstanceOf(Answer.Done.class);
  }

  @Test
  void the_same_seed_hits_the_same_calls() {
    List<List<Boolean>> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      FaultyStore other = FaultyStore.over(MemoryStore.builder().forgetful().build());
      other.failRandomly(4711, 0.3);
      List<Boolean> hit = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        ClaimRequest request = request("key-" + i);
        try {
          other.claim(List.of(request));
          hit.add(false);
        } catch (StoreException e) {
          hit.add(true);
        }
      }
      assertThat(other.failures(Verb.CLAIM)).isBetween(30L, 90L);
      runs.add(hit);
    }
    assertThat(runs.get(0)).isEqualTo(runs.get(1));
  }

  @Test
  void a_share_of_none_hits_nothing_and_one_of_all_everything() {
    store.failRandomly(1, 0);
    claimed(request("a"));
    store.failRandomly(1, 1);
    assertUnavailable(() -> claim(request("b")));
    assertThatThrownBy(() -> store.failRandomly(1, 1.5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("share must be 0 to 1, was 1.5");
    assertThatThrownBy(() -> store.failRandomly(1, Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Semantics(70)
  @Case(15)
  void a_blocked_call_waits_until_it_is_released() throws Exception {
    ClaimRequest request = request("a");
    FutureTask<Answer> call = new FutureTask<>(() -> claim(request));
    try (Block block = store.block(Moment.BEFORE, Verb.CLAIM)) {
      start(call);
      block.await(1);
      assertThat(block.waiting()).isEqualTo(1);
      assertThat(call.isDone()).isFalse();
      assertThat(store.purge(1)).as("another verb").isZero();
    }
    assertThat(call.get(1, TimeUnit.MINUTES)).isInstanceOf(Answer.Claimed.class);
    assertThat(claim(request("a"))).isInstanceOf(Answer.InProgress.class);
  }

  @Test
  @Semantics(70)
  void a_call_that_is_blocked_on_its_way_back_has_been_done() throws Exception {
    FutureTask<Answer> call = new FutureTask<>(() -> claim(request("a")));
    Block block = store.block(Moment.AFTER, Verb.CLAIM);
    Thread caller = start(call);
    block.await(1);
    FutureTask<Answer> second = new FutureTask<>(() -> claim(request("a")));
    start(second);
    block.await(2);
    caller.interrupt();
    assertThatThrownBy(() -> call.get(1, TimeUnit.MINUTES))
        .hasCauseInstanceOf(StoreException.class);
    block.close();
    assertThat(second.get(1, TimeUnit.MINUTES)).isInstanceOf(Answer.InProgress.class);
  }

  @Test
  void closing_closes_the_store() {
    store.close();
    assertThatThrownBy(() -> claim(request("a")))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.CLOSED));
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
