package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.BACKOFF;
import static dev.onlyonce.testkit.engine.Bench.KEY;
import static dev.onlyonce.testkit.engine.Bench.SCOPE;
import static dev.onlyonce.testkit.engine.Bench.as;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.NotProcessedException;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.Result;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.ResultNotKeptException;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.testkit.Semantics;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What duplicates get, and when a message with a known key is not a duplicate. */
class ResultsTest {

  private final Bench bench = Bench.withManualTime();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    bench.close();
  }

  @Way.Each
  @Semantics(80)
  void null_and_the_empty_text_are_two_results(Way way) {
    OnlyOnce<String> once = bench.engine().build();
    Key empty = Key.of("empty");
    for (int i = 0; i < 2; i++) {
      way.take(once, KEY, attempt -> null);
      way.take(once, empty, attempt -> "");
    }
    assertThat(as(Outcome.Duplicate.class, way.take(once, KEY, attempt -> "never")).stored())
        .isEqualTo(Result.NONE);
    assertThat(once.process(KEY, attempt -> "never")).isNull();
    assertThat(once.process(empty, attempt -> "never")).isEmpty();
  }

  @Way.Each
  @Semantics(78)
  void a_result_that_is_too_large_is_not_kept_and_the_handler_is_not_run_again(Way way) {
    OnlyOnce<String> once = bench.engine().resultLimit(7).build();
    as(Outcome.Processed.class, way.take(once, Key.of("fits"), attempt -> "1234567"));
    assertThat(once.process(Key.of("fits"), attempt -> "never")).isEqualTo("1234567");
    Outcome.Processed<?> first =
        as(
            Outcome.Processed.class,
            way.take(once, KEY, attempt -> "12345678 " + runs.incrementAndGet()));
    assertThat(first.result()).as("the first one gets it").isEqualTo("12345678 1");
    assertThatThrownBy(() -> once.process(KEY, attempt -> "run " + runs.incrementAndGet()))
        .isInstanceOf(ResultNotKeptException.class)
        .hasMessage("the key is done, but its result was not kept");
    assertThat(runs).hasValue(1);
    assertThat(bench.events(Event.ResultNotKept.class))
        .extracting(Event.ResultNotKept::reason)
        .containsExactly("the result has 10 bytes, the limit is 7");
  }

  /** Text that other versions of a program cannot write or read. */
  private static ResultCodec<String> codec(boolean encodes, boolean decodes) {
    return new ResultCodec<>() {
      @Override
      public Result.Value encode(String result) {
        if (!encodes) {
          throw new StackOverflowError(); // as of an object that contains itself
        }
        return new Result.Value("text/v1", result.getBytes(UTF_8));
      }

      @Override
      public String decode(Result.Value stored) {
        if (!decodes) {
          throw new IllegalArgumentException("no such field");
        }
        return new String(stored.bytes(), UTF_8);
      }
    };
  }

  @Way.Each
  @Semantics(79)
  void a_result_that_cannot_be_encoded_is_not_kept_and_the_key_is_done(Way way) {
    OnlyOnce<String> once = bench.engine().build().derive().results(codec(false, true)).build();
    Outcome.Processed<?> first =
        as(Outcome.Processed.class, way.take(once, KEY, attempt -> "receipt"));
    assertThat(first.result()).isEqualTo("receipt");
    Outcome.Duplicate<?> second =
        as(Outcome.Duplicate.class, way.take(once, KEY, attempt -> "never"));
    assertThat(second.stored()).isEqualTo(Result.NOT_KEPT);
  }

  @Way.Each
  @Semantics(79)
  void a_result_that_cannot_be_decoded_is_an_error_for_its_reader_and_no_reason_to_run(Way way) {
    OnlyOnce<String> old = bench.engine().results(codec(true, true)).build();
    OnlyOnce<String> young = old.derive().results(codec(true, false)).build();
    way.take(old, KEY, attempt -> "receipt");
    Outcome.Duplicate<?> duplicate =
        as(Outcome.Duplicate.class, way.take(young, KEY, attempt -> "never"));
    assertThatThrownBy(duplicate::result)
        .isInstanceOf(ResultNotKeptException.class)
        .hasMessage("the key is done, but its result of type text/v1 cannot be read")
        .hasRootCauseMessage("no such field");
    assertThat(once(old)).isEqualTo("receipt");
  }

  private static String once(OnlyOnce<String> once) {
    return once.process(KEY, attempt -> "never");
  }

  // Fingerprints.

  private static Fingerprint of(String payload) {
    return Fingerprint.sha256(payload.getBytes(UTF_8));
  }

  @Way.Each
  @Semantics(4)
  void a_known_key_with_another_payload_is_refused_whatever_its_state(Way way) {
    OnlyOnce<String> once = bench.engine().build();
    Outcome.Mismatch<String> mismatch = new Outcome.Mismatch<>(of("10 EUR"));
    way.take(
        once,
        KEY,
        of("10 EUR"),
        attempt -> {
          // in progress
          assertThat(Way.ASYNC.take(once, KEY, of("99 EUR"), another -> "never"))
              .isEqualTo(mismatch);
          throw new IllegalStateException("not today");
        });
    assertThat(way.take(once, KEY, of("99 EUR"), attempt -> "never"))
        .as("released")
        .isEqualTo(mismatch);
    bench.time.advance(BACKOFF);
    as(Outcome.Processed.class, way.take(once, KEY, of("10 EUR"), attempt -> "receipt"));
    assertThat(way.take(once, KEY, of("99 EUR"), attempt -> "never"))
        .as("done")
        .isEqualTo(mismatch);
    as(Outcome.Duplicate.class, way.take(once, KEY, of("10 EUR"), attempt -> "never"));
    assertThat(bench.events(Event.Mismatch.class)).hasSize(3);
    assertThatThrownBy(() -> once.process(KEY, of("99 EUR"), attempt -> "never"))
        .isInstanceOf(NotProcessedException.class)
        .hasMessage(
            "key order-4711/paid is known with another payload, of fingerprint " + of("10 EUR"));
  }

  @Way.Each
  @Semantics(5)
  void a_key_without_a_fingerprint_matches_any_and_that_is_counted(Way way) {
    OnlyOnce<String> once = bench.engine().build();
    way.take(once, KEY, attempt -> "receipt");
    as(Outcome.Duplicate.class, way.take(once, KEY, of("99 EUR"), attempt -> "never"));
    assertThat(bench.events(Event.NotCompared.class))
        .containsExactly(new Event.NotCompared(SCOPE, KEY));
    as(Outcome.Duplicate.class, way.take(once, KEY, attempt -> "never"));
    assertThat(bench.events(Event.NotCompared.class)).hasSize(1);
  }

  // Observing.

  @Test
  void seen_is_true_only_of_what_is_done() {
    OnlyOnce<String> once =
        OnlyOnce.builder(bench.memory)
            .scope(SCOPE)
            .time(bench.time)
            .onInDoubt(OnInDoubt.PARK)
            .results(ResultCodec.TEXT)
            .build();
    assertThat(once.seen(KEY)).isFalse();
    once.process(
        KEY,
        attempt -> {
          assertThat(once.seen(KEY)).isFalse();
          return "receipt";
        });
    assertThat(once.seen(KEY)).isTrue();
    assertThat(once.derive().scope("mail").build().seen(KEY)).isFalse();
    bench.time.advance(Limits.RETENTION);
    assertThat(once.seen(KEY)).isFalse();
  }

  @Test
  void seen_needs_a_store_that_can_be_read() {
    OnlyOnce<String> once = bench.engine().build();
    assertThatThrownBy(() -> once.seen(KEY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("seen() needs a store that is a ClaimReader");
  }
}
