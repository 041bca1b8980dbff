package dev.onlyonce.testkit.engine;

import static dev.onlyonce.testkit.engine.Bench.SCOPE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Attempt;
import dev.onlyonce.Key;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.FaultyStore.Verb;
import dev.onlyonce.testkit.Semantics;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages in which no key was found. */
class UnkeyedTest {

  private final Bench bench = Bench.withManualTime();
  private final List<String> effects = new ArrayList<>();

  /** What an extractor finds in four messages without an orderId, delivered twice each. */
  private static final List<Extracted> FOUND =
      List.of(
          new Unkeyed(Reason.MISSING, "there is no /orderId in {\"v\":1}"),
          new Unkeyed(Reason.MISSING, "there is no /orderId in {\"v\":2}"),
          new Unkeyed(Reason.NULL, "/orderId is null in {\"orderId\":null,\"v\":3}"),
          new Unkeyed(Reason.EMPTY, "/orderId is empty in {\"orderId\":\"\",\"v\":4}"));

  @AfterEach
  void close() {
    bench.close();
  }

  private String effect(Attempt attempt) {
    effects.add(attempt.key().toString());
    return "done";
  }

  /** Powertools took all messages without a key for copies of one message. */
  @Test
  @Case(5)
  @Semantics({36, 49})
  void messages_without_a_key_are_refused_each_by_itself() {
    OnlyOnce<String> once = bench.engine().build();
    List<Outcome<String>> outcomes =
        FOUND.stream().map(found -> once.attempt(found, null, this::effect)).toList();
    assertThat(outcomes)
        .containsExactlyElementsOf(
            FOUND.stream()
                .map(found -> (Outcome<String>) new Outcome.Unkeyed<String>((Unkeyed) found))
                .toList());
    assertThat(effects).isEmpty();
    assertThat(bench.store.calls(Verb.CLAIM)).isZero();
    assertThat(bench.events)
        .containsExactlyElementsOf(
            FOUND.stream()
                .map(found -> (Event) new Event.Unkeyed(SCOPE, (Unkeyed) found, false))
                .toList());
  }

  @Test
  @Case(5)
  @Semantics(36)
  void or_they_are_handled_without_protection_each_by_itself() {
    OnlyOnce<String> once = bench.engine().bypassUnkeyed().build();
    for (int delivery = 0; delivery < 2; delivery++) {
      for (Extracted found : FOUND) {
        assertThat(once.attempt(found, null, this::effect)).isInstanceOf(Outcome.Processed.class);
      }
    }
    assertThat(effects).hasSize(8).doesNotHaveDuplicates();
    assertThat(bench.store.calls(Verb.CLAIM)).isZero();
    assertThat(bench.events(Event.Unkeyed.class)).hasSize(8).allMatch(Event.Unkeyed::bypassed);
  }

  @Test
  void a_key_that_was_found_is_the_key() {
    OnlyOnce<String> once = bench.engine().bypassUnkeyed().build();
    Extracted found = new Keyed(Key.of("order-1"));
    assertThat(once.attempt(found, null, this::effect)).isInstanceOf(Outcome.Processed.class);
    assertThat(once.attempt(found, null, this::effect)).isInstanceOf(Outcome.Duplicate.class);
    assertThat(effects).containsExactly("order-1");
  }

  @Test
  void an_error_without_a_key_is_thrown_on() {
    OnlyOnce<String> once = bench.engine().bypassUnkeyed().build();
    AssertionError error = new AssertionError("a bug");
    assertThatThrownBy(
            () ->
                once.attempt(
                    FOUND.get(0),
                    null,
                    attempt -> {
                      throw error;
                    }))
        .isSameAs(error);
  }
}
