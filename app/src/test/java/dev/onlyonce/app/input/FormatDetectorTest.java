package dev.onlyonce.app.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FormatDetectorTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"id\":1}\n{\"id\":2}\n",
        "{}\n",
        "  { \"id\" : 1 }",
        "\n\r\n{\"id\":1}",
        "{\n  \"pretty\": true\n}\n",
        "[\"a\"]\n",
        "[{\"id\":1},\n{\"id\":2}]",
        "[\n  {\"id\":1}]",
        "[]\n",
        "{\"a\":\"x,y\tz\"}\n"
      })
  void what_begins_like_json_is_jsonl(String content) {
    assertThat(detect(content)).isEqualTo(Format.JSONL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "id,name\n1,A\n",
        "id,name\r\n1,A\r\n",
        "id,name",
        "id,name\n",
        "id,note\n1,\"a\nb\"\n",
        "\"id\",\"Order No\"\n1,2\n",
        "名前,値段\n1,2\n",
        "_id,x\n1,2\n"
      })
  void what_begins_with_comma_separated_names_is_csv(String content) {
    assertThat(detect(content, "none of them")).isEqualTo(Format.CSV);
    assertThat(detect(content)).as("the whole record counts").isEqualTo(Format.LINES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"id\tname\n1\tA\n", "id\tname, first\n1\tA\n", "id\tname\r\n"})
  void what_begins_with_tab_separated_names_is_tsv(String content) {
    assertThat(detect(content, "none of them")).isEqualTo(Format.TSV);
    assertThat(detect(content)).as("the whole record counts").isEqualTo(Format.LINES);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a\nb\n",
        "Hello, world\nHow are you, today\n",
        "2024-01-01 10:00:00,123 INFO start\n2024-01-01 10:00:01,456 INFO go\n",
        "[2024-01-01] INFO start\n",
        "[INFO] start, now\n",
        "1,2\n3,4\n",
        "id,id\n1,2\n",
        "a,b\nc\n",
        "a,,b\n1,2,3\n",
        "a,b,\n1,2,3\n",
        "10.0.0.1\tGET\n10.0.0.2\tPOST\n",
        "{template}\n",
        "\"just a quoted line\"\n"
      })
  void everything_else_is_lines(String content) {
    assertThat(detect(content)).isEqualTo(Format.LINES);
    assertThat(detect(content, "none of them")).isEqualTo(Format.LINES);
  }

  @Test
  void a_json_pointer_as_key_says_jsonl() {
    assertThat(detect("oops, this\n{\"id\":1}\n", "/id")).isEqualTo(Format.JSONL);
  }

  @Test
  void names_of_columns_as_keys_say_where_they_are_columns() {
    assertThat(detect("k\nb\na\n", "k")).isEqualTo(Format.CSV);
    assertThat(detect("\"k\"\nb\na\n", "k")).isEqualTo(Format.CSV);
    assertThat(detect("2024,id\n1,2\n", "id")).isEqualTo(Format.CSV);
    assertThat(detect("2024\tid\n1\t2\n", "id", "2024")).isEqualTo(Format.TSV);
    assertThat(detect("2024,id\n1,2\n", "id", "name")).isEqualTo(Format.LINES);
  }

  @Test
  void numbers_of_columns_as_keys_say_where_there_are_columns() {
    assertThat(detect("7,8\n1,2\n", "2")).isEqualTo(Format.CSV);
    assertThat(detect("7\t8\n1\t2\n", "1", "2")).isEqualTo(Format.TSV);
    assertThat(detect("7,8\n1,2\n", "3")).isEqualTo(Format.LINES);
    assertThat(detect("7 8\n", "1")).isEqualTo(Format.LINES);
  }

  @Test
  void more_bytes_are_asked_for_until_it_is_clear() {
    assertThat(some("{\"id\"")).isEmpty();
    assertThat(some("{\"id\":1}\n")).contains(Format.JSONL);
    assertThat(some("id,na")).isEmpty();
    assertThat(some("id,name\n1,")).isEmpty();
    assertThat(some("id,name\n1,A\n")).contains(Format.CSV);
    assertThat(some("plain\n")).contains(Format.LINES);
    assertThat(some("\n\n")).isEmpty();
  }

  @Test
  void not_more_than_64_kib_are_asked_for() {
    String head = "x".repeat(FormatDetector.MAX_BYTES);

    assertThat(some(head)).contains(Format.LINES);
    assertThat(some("id,name\n" + head)).contains(Format.CSV);
  }

  private static Format detect(String content, String... keys) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    return FormatDetector.detect(bytes, bytes.length, true, List.of(keys)).orElseThrow();
  }

  private static Optional<Format> some(String head) {
    byte[] bytes = Collected.latin1(head);
    return FormatDetector.detect(bytes, bytes.length, false, List.of("none of them"));
  }
}
