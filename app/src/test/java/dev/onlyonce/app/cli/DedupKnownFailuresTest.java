package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures that comparable programs were reported to have, as far as streams reach. */
class DedupKnownFailuresTest {
  private static final String BOM = "\u00EF\u00BB\u00BF";

  @TempDir Path folder;
  private DedupRun run;

  @BeforeEach
  void makeRun() {
    run = new DedupRun(folder);
  }

  @Test
  void known_failure_1_keys_that_differ_in_letter_case_are_different() {
    String in = "{\"id\":\"Order-1\"}\n{\"id\":\"order-1\"}\n{\"id\":\"ORDER-1\"}\n";

    DedupRun.Result result = run.dedup("--key", "/id", run.file("in", in + in));

    assertThat(result.out()).isEqualTo(in);
    assertThat(result.counts()).containsExactly(6L, 3L, 3L, 0L, 0L, 0L);
    String csv = "id,x\nOrder-1,1\norder-1,1\nORDER-1,1\nOrder-1 ,1\n";
    assertThat(run.dedup("--key", "id", run.file("csv", csv)).out()).isEqualTo(csv);
    String lines = "Order-1\norder-1\nORDER-1\n";
    assertThat(run.dedup(run.file("lines", lines + lines)).out()).isEqualTo(lines);
  }

  @Test
  void known_failure_3_the_parts_of_a_composite_key_do_not_run_together() {
    String in =
        """
        {"t":"a:b","i":"c"}
        {"t":"a","i":"b:c"}
        {"t":"ab","i":"c"}
        {"t":"a","i":"bc"}
        {"t":"a,b","i":"c"}
        {"t":"a","i":"b,c"}
        {"t":"a\\u0000","i":"b"}
        {"t":"a","i":"\\u0000b"}
        {"t":1,"i":"23"}
        {"t":12,"i":"3"}
        """;

    DedupRun.Result result = run.dedup("--key", "/t", "--key", "/i", run.file("in", in + in));

    assertThat(result.out()).isEqualTo(in);
    assertThat(result.duplicates()).isEqualTo(10);
  }

  /** With an empty part there is no key for this command: nothing is a duplicate either. */
  @Test
  void known_failure_3_a_composite_key_with_an_empty_part_is_never_a_duplicate() {
    String in = "t,i\na:b,c\na,b:c\nab,c\na,bc\n,x\nx,\n";

    DedupRun.Result result =
        run.dedup("--key", "t", "--key", "i", "--missing-key", "pass", run.file("in", in));

    assertThat(result.out()).isEqualTo(in);
    assertThat(result.counts()).containsExactly(6L, 4L, 0L, 2L, 0L, 0L);
  }

  @Test
  void known_failure_5_records_without_a_key_are_no_duplicates_of_each_other() {
    String in =
        """
        {"v":1}
        {"v":2}
        {"orderId":null,"v":3}
        {"orderId":"","v":4}
        {"orderId":" \\t\\u2003","v":5}
        {"orderId":[],"v":6}
        {"orderId":{},"v":7}
        {"v":1}
        """;
    String file = run.file("in", in);

    DedupRun.Result passed = run.dedup("--key", "/orderId", "--missing-key", "pass", file);
    assertThat(passed.code()).isZero();
    assertThat(passed.out()).isEqualTo(in);
    assertThat(passed.counts()).containsExactly(8L, 0L, 0L, 8L, 0L, 0L);

    DedupRun.Result refused = run.dedup("--key", "/orderId", file);
    assertThat(refused.code()).isEqualTo(3);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.said())
        .containsExactly(
            "in, line 1: the record has no key: there is nothing at /orderId",
            "in, line 2: the record has no key: there is nothing at /orderId",
            "in, line 3: the record has no key: null at /orderId",
            "in, line 4: the record has no key: empty text at /orderId",
            "in, line 5: the record has no key: blank text at /orderId",
            "in, line 6: the record has no key: [] at /orderId",
            "in, line 7: the record has no key: {} at /orderId",
            "in, line 8: the record has no key: there is nothing at /orderId",
            "8 records were left out for want of a key, as told above; --missing-key pass lets such"
                + " records through, --missing-key FILE sets them aside");

    DedupRun.Result aside = run.dedup("--key", "/orderId", "--missing-key", run.path("no"), file);
    assertThat(aside.code()).isZero();
    assertThat(aside.out()).isEmpty();
    assertThat(run.content("no")).isEqualTo(in);
  }

  @Test
  void known_failure_5_blank_fields_are_no_key_in_any_column() {
    String in = "id,v\n,1\n\"\",2\n  ,3\n\"\t\",4\n\"\r\n\",5\n\u00E3\u0080\u0080,6\n,1\n7\n7\n";

    DedupRun.Result result =
        run.dedup("--key", "id", "--missing-key", run.path("no"), run.file("in", in));

    assertThat(result.out()).isEqualTo("id,v\n7\n");
    assertThat(result.counts()).containsExactly(9L, 1L, 1L, 7L, 0L, 0L);
    assertThat(run.content("no")).isEqualTo(in.substring(0, in.length() - 4));
  }

  @Test
  void known_failure_7_objects_are_equal_whatever_the_order_of_their_members() {
    String first = "{\"k\":{\"a\":1,\"b\":{\"x\":1,\"y\":2}}}\n";
    String same = "{ \"k\" : { \"b\":{\"y\":2,\"x\":1.0}, \"a\":1 } }\n";
    String list = "{\"k\":{\"l\":[1,2]}}\n";
    String otherList = "{\"k\":{\"l\":[2,1]}}\n";

    DedupRun.Result result =
        run.dedup("--key", "/k", run.file("in", first + same + list + otherList));

    assertThat(result.out()).isEqualTo(first + list + otherList);
    assertThat(result.duplicates()).isEqualTo(1);
  }

  @Test
  void known_failure_7_a_whole_document_can_be_the_key() {
    String in = "{\"a\":1,\"b\":2}\n";

    DedupRun.Result result =
        run.dedup(
            "--key", "", "-f", "jsonl", run.file("in", in + "{\"b\":2.0, \"a\":1}\n\"x\"\n7\n"));

    assertThat(result.out()).isEqualTo(in + "\"x\"\n7\n");
  }

  @Test
  void known_failure_59_a_byte_order_mark_is_not_part_of_the_first_column_name() {
    String file = run.file("f.csv", BOM + "id,name\n1,A\n1,B\n2,C\n");

    DedupRun.Result result = run.dedup("--key", "id", file);

    assertThat(result.code()).isZero();
    assertThat(result.out()).isEqualTo(BOM + "id,name\n1,A\n2,C\n");
    assertThat(result.counts()).containsExactly(3L, 2L, 1L, 0L, 0L, 0L);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "id,name\n1,A\n1,B\n",
        "id,name\r\n1,A\r\n1,B\r\n",
        "\"id\",name\n1,A\n1,B\n",
        "\"id\",\"name\"\n\"1\",A\n1,B\n",
        "id\tname\n1\tA\n1\tB\n",
        "id\n1\n1\n"
      })
  void known_failure_59_neither_in_other_headers(String content) throws IOException {
    String wanted = BOM + content.substring(0, content.lastIndexOf('\n', content.length() - 2) + 1);

    for (byte[] bytes : List.of(latin1(BOM + content), gzip(BOM + content))) {
      DedupRun.Result result = run.dedup("--key", "id", run.file("f", bytes));

      assertThat(result.out()).isEqualTo(wanted);
      assertThat(result.duplicates()).isEqualTo(1);
    }
  }

  @Test
  void known_failure_59_nor_in_a_later_file_nor_before_other_records() {
    String one = run.file("1.csv", "id,name\n1,A\n");
    String two = run.file("2.csv", BOM + "id,name\n1,B\n2,C\n");
    assertThat(run.dedup("--key", "id", one, two).out()).isEqualTo("id,name\n1,A\n2,C\n");

    String json = run.file("1", BOM + "{\"id\":1}\n{\"id\":1}\n");
    String again = run.file("2", BOM + "{\"id\":1}\n{\"id\":2}\n");
    assertThat(run.dedup("--key", "/id", json, again).out())
        .isEqualTo(BOM + "{\"id\":1}\n{\"id\":2}\n");

    String lines = run.file("lines", BOM + "a\na\n");
    assertThat(run.dedup(lines, lines).out()).isEqualTo(BOM + "a\n");
  }

  @Test
  void known_failure_61_a_newline_inside_a_quoted_field_does_not_split_the_record() {
    String file = run.file("f.csv", "id,note\n1,\"a\nb\"\n2,\"a\nb\"\n1,\"say \"\"hi\"\", ok\"\n");

    DedupRun.Result result = run.dedup("--key", "id", file);

    assertThat(result.out()).isEqualTo("id,note\n1,\"a\nb\"\n2,\"a\nb\"\n");
    assertThat(result.counts()).containsExactly(3L, 2L, 1L, 0L, 0L, 0L);
  }

  @Test
  void known_failure_61_neither_in_the_key_nor_in_the_header_nor_with_carriage_returns() {
    String in = "\"the\r\nid\",n\r\n\"a\r\nb\",1\r\n\"a\nb\",2\r\n\"a\r\nb\",3\r\n";

    DedupRun.Result result = run.dedup("-f", "csv", "--key", "the\r\nid", run.file("f", in));

    assertThat(result.out()).isEqualTo(in.substring(0, in.indexOf("\"a\r\nb\",3")));
    assertThat(run.dedup("--key", "id", run.file("f", "id\n\"a\nb\"\n\"c\nb\"\n\"a\nb\"\n")).out())
        .isEqualTo("id\n\"a\nb\"\n\"c\nb\"\n");
  }

  @Test
  void known_failure_61_quotes_do_not_make_another_key() {
    String in = "id,n\n\"1\",a\n1,b\n\"a\"\"b\",c\n\"a\"\"b\",d\n\"a,b\",e\n\"a,b\",f\n";

    assertThat(run.dedup("--key", "id", run.file("f", in)).out())
        .isEqualTo("id,n\n\"1\",a\n\"a\"\"b\",c\n\"a,b\",e\n");
  }

  @Test
  void known_failure_61_a_quote_that_is_never_closed_is_a_bad_record() {
    String good = "id,n\n1,a\n";
    String bad = "2,\"b\n1,c\n3,d\n";

    DedupRun.Result result =
        run.dedup("--key", "id", "--bad-record", run.path("bad"), run.file("f", good + bad));

    assertThat(result.code()).isZero();
    assertThat(result.out()).isEqualTo(good);
    assertThat(run.content("bad")).isEqualTo("id,n\n" + bad);
    assertThat(result.said())
        .containsExactly(
            "f, line 3: the record has a quoted field that is not closed before the input ends");
  }

  @Test
  void known_failure_63_integers_keep_all_their_digits() {
    String in =
        """
        {"id":9007199254740992}
        {"id":9007199254740993}
        {"id":50000000014435121}
        {"id":50000000014435122}
        """;

    DedupRun.Result result = run.dedup("--key", "/id", run.file("in", in));

    assertThat(result.out()).isEqualTo(in);
    assertThat(result.duplicates()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1.0, true",
    "1, 1e0, true",
    "100, 1E+2, true",
    "0, -0.0, true",
    "0.1, 0.10000000000000000001, false",
    "123456789012345678901234567890, 123456789012345678901234567891, false",
    "1, true, false",
    "1, '\"1\"', false",
    "'\"1\"', '\"\\u0031\"', true",
    "'\"a/b\"', '\"a\\/b\"', true",
    "'\"1\"', '\"1 \"', false",
    "1e400, 1e401, false",
    "true, '\"true\"', false"
  })
  void known_failure_63_values_are_compared_exactly(String one, String other, boolean equal) {
    String in = "{\"id\":" + one + "}\n{\"id\":" + other + "}\n";

    assertThat(run.dedup("--key", "/id", run.file("in", in)).duplicates()).isEqualTo(equal ? 1 : 0);
  }

  @Test
  void known_failure_63_columns_are_compared_as_they_are_written() {
    String in = "id,n\n1,a\n1.0,b\n01,c\n9007199254740992,d\n9007199254740993,e\n";

    assertThat(run.dedup("--key", "id", run.file("in", in)).out()).isEqualTo(in);
  }

  @Test
  void known_failure_65_records_with_a_null_or_missing_key_do_not_become_one() {
    String first = "{\"a\":{\"id\":5}}\n";
    String middle = "{\"a\":{\"id\":null},\"v\":1}\n{\"a\":{},\"v\":2}\n{\"v\":3}\n{\"a\":7}\n";
    String file = run.file("in", first + middle + first);

    DedupRun.Result passed = run.dedup("--key", "/a/id", "--missing-key", "pass", file);
    assertThat(passed.code()).isZero();
    assertThat(passed.out()).isEqualTo(first + middle);
    assertThat(passed.counts()).containsExactly(6L, 1L, 1L, 4L, 0L, 0L);

    DedupRun.Result refused = run.dedup("--key", "/a/id", file);
    assertThat(refused.code()).isEqualTo(3);
    assertThat(refused.out()).isEqualTo(first);
    assertThat(refused.counts()).isEqualTo(passed.counts());
    for (int line = 2; line <= 5; line++) {
      assertThat(refused.said().get(line - 2)).startsWith("in, line " + line + ": ");
    }
  }

  @Test
  void known_failure_65_array_elements_and_ragged_rows_can_be_missing_too() {
    String in =
        "{\"l\":[1]}\n{\"l\":[2,{\"x\":5}]}\n{\"l\":[3,{\"x\":5}]}\n{\"l\":{\"1\":{\"x\":5}}}\n";
    DedupRun.Result json =
        run.dedup("--key", "/l/1/x", "--missing-key", run.path("no"), run.file("in", in));
    assertThat(json.counts()).containsExactly(4L, 1L, 2L, 1L, 0L, 0L);

    String csv = "a,b\n1\n2\n3,x\n4,x\n5,y,z\n";
    DedupRun.Result rows =
        run.dedup("--key", "b", "--missing-key", run.path("no"), run.file("in", csv));
    assertThat(rows.out()).isEqualTo("a,b\n3,x\n5,y,z\n");
    assertThat(run.content("no")).isEqualTo("a,b\n1\n2\n");
  }

  @Test
  void known_failure_67_a_carriage_return_before_the_line_feed_is_not_data() {
    DedupRun.Result csv = run.dedup("--key", "k", run.file("f", "k\r\nb\r\na\r\nb\r\na"));
    assertThat(csv.out()).isEqualTo("k\r\nb\r\na\r\n");
    assertThat(csv.duplicates()).isEqualTo(2);

    String b = "{\"k\":\"b\"}";
    String a = "{\"k\":\"a\"}";
    String in = String.join("\r\n", b, a, b, a);
    for (String[] key : List.of(new String[] {"--key", "/k"}, new String[] {})) {
      String[] arguments = Arrays.copyOf(key, key.length + 1);
      arguments[key.length] = run.file("f", in);
      DedupRun.Result json = run.dedup(arguments);
      assertThat(json.out()).isEqualTo(b + "\r\n" + a + "\r\n");
      assertThat(json.duplicates()).isEqualTo(2);
    }
  }

  /** A file with CR LF that lost its last byte. */
  @Test
  void known_failure_67_a_carriage_return_that_is_left_at_the_end_is_not_data() {
    DedupRun.Result csv = run.dedup("--key", "k", run.file("f", "k\r\na\r\na\r"));
    assertThat(csv.out()).isEqualTo("k\r\na\r\n");
    assertThat(csv.duplicates()).isEqualTo(1);
    assertThat(run.dedup(run.file("1", "a\r\nb\r"), run.file("2", "c")).out())
        .isEqualTo("a\r\nb\r\nc");
  }

  @Test
  void known_failure_67_kept_lines_keep_their_own_ends() {
    String in = "a\r\nb\na\nb\r\nc\r\r\nc\r\nc";

    assertThat(run.dedup(run.file("in", in)).out()).isEqualTo("a\r\nb\nc\r\r\nc\r\n");
  }

  @Test
  void known_failure_67_a_missing_line_end_between_two_files_is_added() {
    String one = run.file("1", "a\r\nb");
    String two = run.file("2", "b\nc");

    assertThat(run.dedup(one, two).out()).isEqualTo("a\r\nb\r\nc");
  }

  @Test
  void known_failure_73_composed_and_decomposed_characters_are_different_and_stay_so() {
    String words = "{\"id\":\"Caf\u00E9\"}\n{\"id\":\"Cafe\u0301\"}\n";
    String escaped = "{\"id\":\"Caf\\u00e9\"}\n{\"id\":\"Cafe\\u0301\"}\n";

    DedupRun.Result json = run.dedup("--key", "/id", run.utf8("in", words + escaped + words));
    DedupRun.Result csv =
        run.dedup("--key", "id", run.utf8("in", "id,x\nCaf\u00E9,1\nCafe\u0301,1\nCaf\u00E9,1\n"));

    assertThat(json.counts()).containsExactly(6L, 2L, 4L, 0L, 0L, 0L);
    assertThat(csv.counts()).containsExactly(3L, 2L, 1L, 0L, 0L, 0L);
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(latin1(text));
    }
    return bytes.toByteArray();
  }
}
