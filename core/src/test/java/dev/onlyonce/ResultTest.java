package dev.onlyonce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ResultTest {

  @Test
  void no_result_and_one_that_was_not_kept_are_two_things() {
    assertThat(Result.NONE).isNotEqualTo(Result.NOT_KEPT).isEqualTo(new Result.None());
    assertThat(Result.NOT_KEPT).isEqualTo(new Result.NotKept());
    assertThat(new Result.Value("text/plain", new byte[0])).isNotEqualTo(Result.NONE);
  }

  @Test
  void values_are_equal_if_type_and_bytes_are() {
    Result value = new Result.Value("text/plain", new byte[] {1, 2});
    assertThat(value)
        .isEqualTo(new Result.Value("text/plain", new byte[] {1, 2}))
        .hasSameHashCodeAs(new Result.Value("text/plain", new byte[] {1, 2}))
        .isNotEqualTo(new Result.Value("text/plain", new byte[] {1, 3}))
        .isNotEqualTo(new Result.Value("text/html", new byte[] {1, 2}))
        .hasToString("Value[type=text/plain, bytes=0102]");
  }

  @Test
  void a_type_has_1_to_127_characters() {
    assertThat(new Result.Value("x".repeat(127), new byte[0]).type()).hasSize(127);
    assertThatThrownBy(() -> new Result.Value("", new byte[0]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("result type must be 1 to 127 characters, was ''");
    assertThatThrownBy(() -> new Result.Value("x".repeat(128), new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** It had shown the class of the codec, with the address of the object. */
  @Test
  void a_duplicate_shows_what_came_of_the_message_and_not_how_it_is_read() {
    Result stored = new Result.Value("text/plain", new byte[] {1, 2});
    assertThat(new Outcome.Duplicate<>(stored, Duration.ofSeconds(5), ResultCodec.TEXT))
        .hasToString("Duplicate[stored=Value[type=text/plain, bytes=0102], age=PT5S]");
  }
}
