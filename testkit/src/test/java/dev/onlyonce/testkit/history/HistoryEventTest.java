package dev.onlyonce.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryEventTest {

  private static final int TRIES = 2_000;

  @Test
  void parse_gives_back_what_text_was_made_of() {
    for (int seed = 0; seed < TRIES; seed++) {
      HistoryEvent event = any(new Random(seed));
      assertThat(HistoryEvent.parse(event.text())).as("seed %d", seed).isEqualTo(event);
    }
  }

  @Test
  void text_is_one_line_of_ascii_without_the_marks_of_the_file() {
    for (int seed = 0; seed < TRIES; seed++) {
      assertThat(any(new Random(seed)).text()).as("seed %d", seed).matches("[ -~&&[^<>]]+");
    }
  }

  @Test
  void a_text_that_was_cut_short_is_never_taken_for_the_whole_event() {
    for (int seed = 0; seed < TRIES; seed++) {
      Random random = new Random(seed);
      HistoryEvent event = any(random);
      String cut = event.text().substring(0, random.nextInt(event.text().length()));
      try {
        assertThat(HistoryEvent.parse(cut)).as("seed %d", seed).isNotEqualTo(event);
      } catch (IllegalArgumentException refused) {
        assertThat(refused).hasMessageContaining("not an event");
      }
    }
  }

  private static HistoryEvent any(Random random) {
    Kind[] kinds = Kind.values();
    return new HistoryEvent(
        kinds[random.nextInt(kinds.length)],
        "k" + units(random),
        1 + (random.nextLong() >>> 1) % Long.MAX_VALUE,
        random.nextInt(Integer.MAX_VALUE),
        "p" + units(random),
        random.nextLong() >>> 1,
        Instant.EPOCH.plus(random.nextLong() / 2, ChronoUnit.MICROS),
        units(random));
  }

  /** Any UTF-16 units, lone surrogates too. */
  private static String units(Random random) {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(12);
    for (int i = 0; i < length; i++) {
      text.append((char) random.nextInt(random.nextBoolean() ? 0x80 : 0x10000));
    }
    return text.toString();
  }

  @Test
  void the_text_form_is_the_one_that_is_drawn() {
    HistoryEvent event =
        HistoryEvent.of(Kind.IN_DOUBT, "order 4711/caf\u00e9", 17)
            .withAttempt(2)
            .since(1042)
            .withDetail("a=b")
            .recorded("w-1", Instant.EPOCH.plusMillis(5));
    assertThat(event.text())
        .isEqualTo(
            "in-doubt key=order\\u00204711/caf\\u00e9 token=17 attempt=2 process=w-1 since=1042"
                + " at=5000 detail=a\\u003db");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "claimed",
        "claimed key=a",
        "claimed key=a token=0",
        "claimed key=a token=-1",
        "claimed key=a token=+1",
        "claimed key=a token=01",
        "claimed key=a token=99999999999999999999",
        "claimed key=a token=1 attempt=99999999999",
        "claimed token=1 key=a",
        "claimed  key=a token=1",
        "claimed key=a token=1 ",
        "claimed key=a token=1 colour=red",
        "claimed key=a\\u token=1",
        "claimed key=\\u0061 token=1",
        "claimed key=caf\u00e9 token=1",
        "killed",
        "stolen key=a token=1",
      })
  void a_text_that_was_never_written_is_refused_with_the_text(String text) {
    assertThatThrownBy(() -> HistoryEvent.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not an event: " + text);
  }

  @Test
  void what_a_kind_needs_is_asked_for_at_once() {
    assertThatThrownBy(() -> HistoryEvent.of(Kind.CLAIMED, "a", 0))
        .hasMessage("CLAIMED must have a positive token, had 0");
    assertThatThrownBy(() -> HistoryEvent.of(Kind.EFFECT, "", 1))
        .hasMessage("EFFECT must have a key, had none");
    assertThatThrownBy(() -> HistoryEvent.killed(""))
        .hasMessage("KILLED must have a process, had none");
    assertThatThrownBy(() -> HistoryEvent.acknowledged("a").since(-1))
        .hasMessage("sinceBytes must not be negative, was -1");
    assertThatThrownBy(() -> HistoryEvent.acknowledged("a").withAttempt(-1))
        .hasMessage("attempt must not be negative, was -1");
  }
}
