package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Key;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.testkit.Semantics;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handlers that use the engine themselves, and views of one engine. */
class NestingTest {

  private final Bench bench = Bench.withManualTime();
  private final OnlyOnce<String> once = bench.engine().build();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  @Semantics(15)
  void a_handler_that_processes_its_own_key_is_refused_instead_of_waiting_for_itself() {
    AtomicInteger runs = new AtomicInteger();
    String result =
        once.process(
            KEY,
            attempt -> {
              assertThatThrownBy(() -> once.process(KEY, inner -> "never"))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessage(
                      "this thread is handling key order-4711/paid of scope billing already: a"
                          + " handler must not process its own key");
              return "run " + runs.incrementAndGet();
            });
    assertThat(result).isEqualTo("run 1");
    assertThat(once.process(KEY, attempt -> "never")).isEqualTo("run 1");
  }

  @Test
  @Semantics(15)
  void also_through_another_key_and_another_engine_of_the_same_store() {
    OnlyOnce<String> other = bench.engine().build();
    once.process(
        KEY,
        attempt ->
            once.process(
                Key.of("item-1"),
                inner -> {
                  assertThatThrownBy(() -> other.process(KEY, innermost -> "never"))
                      .isInstanceOf(IllegalStateException.class);
                  assertThatThrownBy(() -> once.process(Key.of("item-1"), again -> "never"))
                      .isInstanceOf(IllegalStateException.class);
                  return "done";
                }));
    assertThat(once.process(Key.of("item-1"), attempt -> "never")).isEqualTo("done");
  }

  @Test
  @Semantics(15)
  void other_keys_other_scopes_and_other_stores_are_fine() {
    OnlyOnce<String> mail = once.derive().scope("mail").build();
    try (Bench elsewhere = Bench.withManualTime()) {
      OnlyOnce<String> other = elsewhere.engine().build();
      String result =
          once.process(
              KEY,
              attempt ->
                  once.process(Key.of("item-1"), inner -> "a")
                      + mail.process(KEY, inner -> "b")
                      + other.process(KEY, inner -> "c"));
      assertThat(result).isEqualTo("abc");
    }
  }

  @Test
  @Semantics(15)
  void after_a_refusal_and_after_a_failure_the_key_can_be_processed_again() {
    assertThatThrownBy(() -> once.process(KEY, attempt -> once.process(KEY, inner -> "never")))
        .isInstanceOf(IllegalStateException.class);
    assertThat(bench.state()).isEqualTo(ClaimState.RELEASED);
    bench.time.advance(Bench.BACKOFF);
    assertThat(once.process(KEY, attempt -> "receipt")).isEqualTo("receipt");
  }

  @Test
  void a_view_shares_the_end_of_its_engine() {
    OnlyOnce<String> mail = once.derive().scope("mail").build();
    mail.close();
    assertThatThrownBy(() -> once.process(KEY, attempt -> "never"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the engine has been closed and takes no more messages");
  }

  @Test
  void a_view_refuses_settings_that_belong_to_the_engine() {
    assertThatThrownBy(() -> once.derive().listener(event -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "listener belongs to the engine that this view shares: set it where that is built");
    assertThatThrownBy(() -> once.derive().time(bench.time)).hasMessageStartingWith("time belongs");
  }

  @Test
  void what_is_missing_is_named() {
    assertThatThrownBy(() -> OnlyOnce.builder(bench.store).onInDoubt(OnInDoubt.PARK).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("scope must be set: the consumer or operation that the keys belong to");
  }
}
