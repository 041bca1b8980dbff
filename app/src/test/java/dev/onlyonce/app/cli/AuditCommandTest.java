package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditCommandTest {
  @TempDir Path folder;
  private InProcess once;

  @BeforeEach
  void start() {
    once = new InProcess(folder);
  }

  private Result audit(String... more) {
    String[] arguments = new String[more.length + 5];
    System.arraycopy(
        new String[] {"audit", "--sent", "@sent", "--effects", "@effects"}, 0, arguments, 0, 5);
    System.arraycopy(more, 0, arguments, 5, more.length);
    return once.run(arguments);
  }

  @Test
  void keys_that_took_effect_once_are_fine_however_often_they_were_sent() {
    once.write("sent", "id,n\nA,1\nB,2\nA,1\n");
    once.write("effects", "id\nB\nA\n");

    assertThat(audit("--key", "id"))
        .isEqualTo(
            new Result(
                0,
                """
                sent        3 records, 2 different keys
                effects     2 records, 2 different keys
                missing     0
                doubled     0
                unexpected  0
                Every key that was sent has taken effect once, and no other has.
                """,
                ""));
  }

  @Test
  void one_record_is_not_told_in_the_plural() {
    once.write("sent", "A\n");
    once.write("effects", "A\n");

    assertThat(audit().lines())
        .startsWith(
            "sent        1 record, 1 different key", "effects     1 record, 1 different key");
  }

  @Test
  void what_differs_is_listed_with_its_places() {
    once.write("sent", "{\"id\":\"A\"}\n{\"id\":\"B\"}\n\n{\"id\":\"B\"}\n{\"id\":\"C\"}\n");
    once.write("effects", "order\nC\nC\nX\nX\nX\n");

    assertThat(audit("--key", "/id", "--effects-key", "order"))
        .isEqualTo(
            new Result(
                1,
                """
                sent        4 records, 3 different keys
                effects     5 records, 2 different keys
                missing     2: sent, but without effect
                  A  (sent, line 1)
                  B  (sent, line 2)
                doubled     2: more than one effect
                  C  2 times (effects, line 2; effects, line 3)
                  X  3 times (effects, line 4; effects, line 5; ...)
                unexpected  1: effect, but not sent
                  X  3 times (effects, line 4; effects, line 5; ...)
                The two differ.
                """,
                ""));
  }

  @Test
  void json_has_all_findings_and_then_the_sums() {
    once.write("sent", "A\u00e9\nB\n");
    once.write("effects", "B\nB\nC\n");

    assertThat(audit("--json", "--limit", "1"))
        .isEqualTo(
            new Result(
                1,
                """
                {"finding":"missing","key":"A\\u00E9","times":0,"sent":{"file":"sent","line":1},\
                "effects":[]}
                {"finding":"doubled","key":"B","times":2,"sent":{"file":"sent","line":2},\
                "effects":[{"file":"effects","line":1},{"file":"effects","line":2}]}
                {"finding":"unexpected","key":"C","times":1,"effects":[{"file":"effects","line":3}]}
                {"summary":{"sentRecords":2,"sentKeys":2,"effectRecords":3,"effectKeys":2,\
                "missing":1,"doubled":1,"unexpected":1,"withoutKey":0,"bad":0}}
                """,
                ""));
  }

  @Test
  void long_lists_are_cut_in_text_and_say_so() {
    once.write("sent", "id\n" + "%s\n".repeat(30).formatted(numbers(30)));
    once.write("effects", "");

    Result result = audit("--key", "id", "--limit", "2");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.lines())
        .contains("missing     30: sent, but without effect", "  0  (sent, line 2)")
        .contains("  and 28 more; --limit shows more of them, --json all");
  }

  private static Object[] numbers(int count) {
    Object[] numbers = new Object[count];
    java.util.Arrays.setAll(numbers, i -> i);
    return numbers;
  }

  @Test
  void numbers_of_json_are_the_same_as_in_columns_and_not_the_same_as_text_in_json() {
    once.write("sent", "{\"id\":4711,\"state\":\"paid\"}\n{\"id\":12.50,\"state\":true}\n");
    once.write("effects", "id,state\n4711,paid\n12.5,true\n");
    once.write("texts", "{\"id\":\"4711\",\"state\":\"paid\"}\n");

    Result columns =
        audit("--key", "/id", "--key", "/state", "--effects-key", "id", "--effects-key", "state");
    Result json =
        once.run(
            "audit", "--sent", "@sent", "--effects", "@texts", "--key", "/id", "--key", "/state");

    assertThat(columns.code()).isZero();
    assertThat(json.code()).isEqualTo(1);
    assertThat(json.out()).contains("~c:~j:4711,paid", "~c:4711,paid");
  }

  @Test
  void records_that_cannot_be_compared_are_told_and_end_with_3() {
    once.write("sent", "{\"id\":\"A\"}\n{\"no\":1}\noops\n");
    once.write("effects", "{\"id\":\"A\"}\n");

    Result result = audit("--key", "/id");

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out())
        .endsWith(
            "Of what could be compared, every key that was sent has taken effect once, and no"
                + " other.\n");
    assertThat(result.err())
        .startsWith("onlyonce: sent, line 2: the record has no key: there is nothing at /id\n")
        .contains("onlyonce: sent, line 3: the record cannot be read: ")
        .endsWith("onlyonce: 2 records could not be compared, as told above\n");
  }

  @Test
  void many_records_that_cannot_be_compared_are_counted() {
    once.write("sent", "{}\n".repeat(100));
    once.write("effects", "");

    Result result = audit("--key", "/id");

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.err().lines()).hasSize(22);
    assertThat(result.err()).contains("more of these are only counted", "100 records could not");
  }

  @Test
  void several_files_make_a_side_and_may_be_packed() throws IOException {
    once.write("one", "id\nA\n");
    once.write("two", gzip("id\nB\nC\n"));
    once.write("effects", "id\nA\nC\n");

    Result result =
        once.run(
            "audit", "--sent", "@one", "--sent", "@two", "--effects", "@effects", "--key", "id");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).contains("  B  (two, line 2)");
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  @Test
  void a_damaged_file_is_told_with_its_place() throws IOException {
    byte[] whole = gzip("id\nA\n");
    once.write("sent", java.util.Arrays.copyOf(whole, whole.length - 6));
    once.write("effects", "id\nA\n");

    Result result = audit("--key", "id");

    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("sent, line").contains("ends too early");
  }

  @Test
  void plain_lines_may_be_compared_with_a_column() {
    once.write("sent", "id,n\nA,1\nB,2\n");
    once.write("effects", "B\nA\n");

    assertThat(audit("--key", "id", "--effects-format", "lines").code()).isZero();
  }

  @Test
  void lines_that_are_too_long_for_a_key_are_compared_too() {
    once.write("sent", "x".repeat(5_000) + "1\n" + "x".repeat(5_000) + "2\n");
    once.write("effects", "x".repeat(5_000) + "2\n");

    Result result = audit();

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.lines().get(3)).startsWith("  ~d:").endsWith("  (sent, line 1)");
  }

  /** Each line was told to be no JSON, and no line named an option that would help. */
  @Test
  void columns_are_not_taken_for_json_by_a_pointer_alone() {
    once.write("sent", "{\"id\":\"A\"}\n");
    once.write("effects", "order,receipt\nA,1\nB,2\n");

    assertThat(audit("--key", "/id"))
        .isEqualTo(
            new Result(
                2,
                "",
                "onlyonce: effects does not begin like JSON, in which --key /id would name a field;"
                    + " say with --effects-key which column of it is the key, with --effects-format"
                    + " lines that each line is one, or with --effects-format jsonl that it is JSON"
                    + " all the same\n"));
    assertThat(audit("--key", "/id", "--effects-key", "/order").err())
        .isEqualTo(
            "onlyonce: effects does not begin like JSON, in which --effects-key /order would name a"
                + " field; name a column, or say the format with --effects-format\n");
    assertThat(audit("--key", "/id", "--effects-key", "order").out()).contains("missing     0\n");
    assertThat(audit("--key", "/id", "--effects-format", "jsonl").code()).isEqualTo(3);
  }

  @Test
  void what_was_sent_is_not_taken_for_json_by_a_pointer_alone() {
    once.write("sent", "id,n\nA,1\n");
    once.write("effects", "{\"id\":\"A\"}\n");

    assertThat(audit("--key", "/id").err())
        .isEqualTo(
            "onlyonce: sent does not begin like JSON, in which --key /id would name a field; name a"
                + " column, or say the format with --format\n");
  }

  @Test
  void a_key_that_does_not_fit_the_effects_names_the_option_that_would() {
    once.write("sent", "id,n\nA,1\n");
    once.write("effects", "{\"order\":\"A\"}\n");
    assertThat(audit("--key", "id").err())
        .startsWith("onlyonce: --key: ")
        .endsWith("; --effects-key says what the key of the effects is\n");

    once.write("effects", "order,receipt\nA,1\n");
    assertThat(audit("--key", "id"))
        .isEqualTo(
            new Result(
                2,
                "",
                "onlyonce: effects, line 1: there is no column \"id\"; the columns are order,"
                    + " receipt; --effects-key says what the key of the effects is\n"));
  }

  @Test
  void plain_lines_may_be_compared_with_a_field_of_json() {
    once.write("sent", "{\"id\":4711}\n{\"id\":\"B\"}\n");
    once.write("effects", "B\n4711\n");

    assertThat(audit("--key", "/id", "--effects-format", "lines").code()).isZero();
  }

  /** It had said that every key that was sent had taken effect, and ended with 0. */
  @Test
  void two_empty_sides_are_not_fine() {
    once.write("sent", "");
    once.write("effects", "id\n");

    assertThat(audit("--key", "id"))
        .isEqualTo(
            new Result(
                1,
                """
                sent        0 records, 0 different keys
                effects     0 records, 0 different keys
                missing     0
                doubled     0
                unexpected  0
                Nothing was compared: there is no record on either side.
                """,
                ""));
  }

  @Test
  void keys_cannot_steer_the_terminal() {
    once.write("sent", "\u001b[2Jred\n");
    once.write("effects", "");

    Result result = audit();

    assertThat(result.out()).contains("~b:1b5b324a726564").doesNotContain("\u001b");
    assertThat(audit("--json").out()).doesNotContain("\u001b");
  }

  @Test
  void a_wrong_command_line_is_told() {
    once.write("sent", "id\nA\n");
    once.write("effects", "id\nA\n");

    assertThat(once.run("audit", "--sent", "@sent").code()).isEqualTo(2);
    assertThat(once.run("audit", "--sent", "-", "--effects", "-").err())
        .isEqualTo("onlyonce: standard input (-) can be read only once; name it once\n");
    assertThat(audit("--key", "no", "--format", "csv").err()).contains("there is no column \"no\"");
    assertThat(audit("--key", "1", "--effects-key", "no", "--no-header", "-f", "csv").err())
        .contains("--effects-key no: without a header line");
    assertThat(audit("--limit", "0").err())
        .isEqualTo("onlyonce: --limit must be at least 1, was 0\n");
    assertThat(once.run("audit", "--sent", "@no", "--effects", "@effects"))
        .isEqualTo(new Result(4, "", "onlyonce: cannot read no: no such file or folder\n"));
  }
}
