package dev.onlyonce.app.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DelimitedFieldsTest {
  @Test
  void fields_lose_their_quotes_and_their_doubled_quotes() {
    assertThat(csv("a,\"b\",\"c \"\"d\"\" e\",\"\",,\"f,\ng\""))
        .containsExactly("a", "b", "c \"d\" e", "", "", "f,\ng");
  }

  @Test
  void an_empty_record_has_one_empty_field() {
    assertThat(csv("")).containsExactly("");
    assertThat(csv(",")).containsExactly("", "");
  }

  @Test
  void quotes_elsewhere_than_at_the_beginning_of_a_field_stay() {
    assertThat(csv("5\" disk, \"a\",b\"\"")).containsExactly("5\" disk", " \"a\"", "b\"\"");
  }

  @Test
  void malformed_fields_lose_no_characters() {
    assertThat(csv("\"a\"b\"c,d")).containsExactly("ab\"c", "d");
    assertThat(csv("\"a,b")).containsExactly("a,b");
    assertThat(csv("\"")).containsExactly("");
    assertThat(csv("\"a\"\"")).containsExactly("a\"");
  }

  @Test
  void tsv_takes_all_characters_as_they_are() {
    assertThat(split(Format.TSV, "\"a\tb\"\t\"\"")).containsExactly("\"a", "b\"", "\"\"");
  }

  @Test
  void bytes_that_are_not_utf_8_are_kept() {
    assertThat(csv("\u00FF\u00FE,\"\u0080\"")).containsExactly("\u00FF\u00FE", "\u0080");
  }

  @Test
  void values_are_ranges_of_the_record_where_they_can_be() {
    DelimitedFields fields = new DelimitedFields(Format.CSV);
    byte[] record = "xx,\"yy\"".getBytes(StandardCharsets.UTF_8);
    fields.split(record, 0, record.length, 10);

    fields.select(1);

    assertThat(fields.bytes()).isSameAs(record);
    assertThat(fields.offset()).isEqualTo(4);
    assertThat(fields.length()).isEqualTo(2);
  }

  @Test
  void no_more_fields_are_cut_than_wanted() {
    DelimitedFields fields = new DelimitedFields(Format.CSV);
    byte[] record = "a,b,c".getBytes(StandardCharsets.UTF_8);

    assertThat(fields.split(record, 0, record.length, 2)).isEqualTo(2);
    assertThat(fields.select(1)).isTrue();
    assertThat(fields.select(2)).isFalse();
  }

  @Test
  void many_fields_and_long_ones_are_no_problem() {
    String big = "x\"\"".repeat(1000);
    String record = "\"" + big + "\"" + ",a".repeat(5000);

    assertThat(csv(record)).hasSize(5001).startsWith("x\"".repeat(1000), "a");
  }

  @Test
  void formats_without_columns_have_no_fields() {
    assertThatThrownBy(() -> new DelimitedFields(Format.JSONL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("format must have columns, was JSONL");
  }

  private static List<String> csv(String record) {
    return split(Format.CSV, record);
  }

  private static List<String> split(Format format, String record) {
    byte[] bytes = Collected.latin1("<" + record + ">");
    DelimitedFields fields = new DelimitedFields(format);
    int count = fields.split(bytes, 1, bytes.length - 1, Integer.MAX_VALUE);
    List<String> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      fields.select(i);
      values.add(
          new String(
              fields.bytes(), fields.offset(), fields.length(), StandardCharsets.ISO_8859_1));
    }
    return values;
  }
}
