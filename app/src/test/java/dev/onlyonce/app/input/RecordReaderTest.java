package dev.onlyonce.app.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordReaderTest {
  private static final String BOM = "\u00EF\u00BB\u00BF";

  @TempDir Path folder;

  @Test
  void records_keep_their_own_line_ends() {
    Collected all = Collected.read(Collected.as(Format.LINES), "a\nb\r\n\r\n\nc\rd\ne");

    assertThat(all.bytes()).containsExactly("a\n", "b\r\n", "\r\n", "\n", "c\rd\n", "e");
  }

  /** Case 67: the last line lacked the CR that the others had, and was taken for another. */
  @Test
  void a_carriage_return_before_a_line_feed_is_a_line_end_and_not_data() {
    Collected all = Collected.read(Collected.as(Format.CSV), "k\r\nb\r\na\r\nb\r\na");

    assertThat(all.header.columns()).containsExactly("k");
    assertThat(all.contents()).containsExactly("b", "a", "b", "a");
    assertThat(all.bytes()).containsExactly("b\r\n", "a\r\n", "b\r\n", "a");
  }

  @Test
  void records_know_their_input_their_line_and_their_number() throws IOException {
    Path first = Files.writeString(folder.resolve("1.csv"), "id,note\n1,\"a\nb\n\"\n2,x\n");
    Path second = Files.writeString(folder.resolve("2.csv"), "id,note\n3,y");

    Collected all =
        Collected.read(Collected.keyed("id"), List.of(Input.file(first), Input.file(second)));

    assertThat(all.records)
        .extracting(Collected.Entry::input, Collected.Entry::line, Collected.Entry::number)
        .containsExactly(
            tuple(first.toString(), 2L, 1L),
            tuple(first.toString(), 5L, 2L),
            tuple(second.toString(), 2L, 1L));
  }

  @Test
  void a_place_for_messages_has_the_input_and_the_line() {
    RecordBatch batch = new RecordBatch();
    try (RecordReader reader =
        new RecordReader(List.of(Collected.input("a\nb\n")), Collected.as(Format.LINES))) {
      reader.read(batch);
    }

    assertThat(batch.place(1)).isEqualTo("in, line 2");
  }

  /** Case 59: the byte order mark became part of the first column's name. */
  @Test
  void a_byte_order_mark_is_not_part_of_the_header() {
    Collected all = Collected.read(Collected.keyed("id"), BOM + "id,name\n1,A\n1,B\n2,C\n");

    assertThat(all.format).isEqualTo(Format.CSV);
    assertThat(all.header.columns()).containsExactly("id", "name");
    assertThat(all.header.followsByteOrderMark()).isTrue();
    assertThat(all.bytes()).containsExactly("1,A\n", "1,B\n", "2,C\n");
  }

  @Test
  void a_byte_order_mark_is_not_part_of_the_first_record() {
    RecordBatch batch = new RecordBatch();
    Input input = Collected.input(BOM + "{\"id\":1}\n{\"id\":2}\n");
    try (RecordReader reader = new RecordReader(List.of(input), ReadSettings.defaults())) {
      reader.read(batch);
    }

    assertThat(batch.bytes()[batch.start(0)]).isEqualTo((byte) '{');
    assertThat(batch.followsByteOrderMark(0)).isTrue();
    assertThat(batch.followsByteOrderMark(1)).isFalse();
  }

  @Test
  void an_input_with_nothing_but_a_byte_order_mark_has_no_records() {
    assertThat(Collected.read(ReadSettings.defaults(), BOM).records).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u00FF\u00FEa\0", "\u00FE\u00FF\0a"})
  void utf_16_is_refused(String content) {
    assertThatThrownBy(() -> Collected.read(ReadSettings.defaults(), content))
        .isInstanceOf(Failure.class)
        .hasMessage("in: this is UTF-16; convert it to UTF-8 with iconv");
  }

  /** Case 61: reading line by line cut a quoted field in two. */
  @Test
  void a_line_feed_in_a_quoted_field_does_not_split_the_record() {
    Collected all =
        Collected.read(
            Collected.keyed("id"), "id,note\n1,\"a\nb\"\n2,\"a\nb\"\n1,\"say \"\"hi\"\", ok\"\n");

    assertThat(all.bytes())
        .containsExactly("1,\"a\nb\"\n", "2,\"a\nb\"\n", "1,\"say \"\"hi\"\", ok\"\n");
    assertThat(all.lines()).containsExactly(2L, 4L, 6L);
  }

  @Test
  void a_quote_inside_an_unquoted_field_is_a_character_like_others() {
    Collected all = Collected.read(Collected.as(Format.CSV), "d\n3.5\" disk\n5\" disk\nx");

    assertThat(all.bytes()).containsExactly("3.5\" disk\n", "5\" disk\n", "x");
    assertThat(all.problems()).containsOnly(Problem.NONE);
  }

  @Test
  void tsv_has_no_quoting() {
    Collected all = Collected.read(Collected.as(Format.TSV), "a\tb\n\"1\t2\n3\t4\"\n");

    assertThat(all.bytes()).containsExactly("\"1\t2\n", "3\t4\"\n");
  }

  @Test
  void text_behind_a_closing_quote_is_told_and_reading_goes_on() {
    Collected all =
        Collected.read(Collected.as(Format.CSV), "a,b\n\"x\"y,1\nz,2\n\"x\" ,3\n\"x\"\r,4\nw,5\n");

    assertThat(all.bytes()).hasSize(5);
    assertThat(all.problems())
        .containsExactly(
            Problem.TEXT_AFTER_QUOTE,
            Problem.NONE,
            Problem.TEXT_AFTER_QUOTE,
            Problem.TEXT_AFTER_QUOTE,
            Problem.NONE);
  }

  @Test
  void a_quote_that_is_not_closed_is_told_with_the_line_where_the_record_begins() {
    Collected all = Collected.read(Collected.as(Format.CSV), "a,b\n1,x\n2,\"y\n3,z\n");

    assertThat(all.bytes()).containsExactly("1,x\n", "2,\"y\n3,z\n");
    assertThat(all.problems()).containsExactly(Problem.NONE, Problem.UNCLOSED_QUOTE);
    assertThat(all.lines()).containsExactly(2L, 3L);
  }

  @Test
  void only_the_first_header_is_kept_and_later_ones_are_not_records() {
    Collected all = Collected.read(Collected.as(Format.CSV), "id,n\n1,a\n", "\"id\",n\r\n2,b\n");

    assertThat(new String(all.header.bytes(), StandardCharsets.UTF_8)).isEqualTo("id,n\n");
    assertThat(all.bytes()).containsExactly("1,a\n", "2,b\n");
  }

  @Test
  void another_header_in_a_later_input_is_refused() {
    assertThatThrownBy(() -> Collected.read(Collected.as(Format.CSV), "id,n\n1,a\n", "id,m\n2,b\n"))
        .isInstanceOf(Failure.class)
        .hasMessage(
            "in, line 1: the header has other columns (id, m) than that of in, line 1 (id, n);"
                + " run files with different columns one by one");
  }

  @Test
  void a_header_may_have_line_feeds_in_quotes() {
    Collected all = Collected.read(Collected.as(Format.CSV), "\"a\nb\",c\n1,2\n3,4\n");

    assertThat(all.header.columns()).containsExactly("a\nb", "c");
    assertThat(all.lines()).containsExactly(3L, 4L);
    assertThat(all.records.get(1).number()).isEqualTo(2);
  }

  @Test
  void without_a_header_the_first_line_is_a_record() {
    ReadSettings settings = new ReadSettings(Format.CSV, false, 1000, List.of());

    Collected all = Collected.read(settings, "1,a\n2,b\n");

    assertThat(all.header).isNull();
    assertThat(all.bytes()).containsExactly("1,a\n", "2,b\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n1,2\n", " \r\n1,2\n"})
  void a_blank_header_is_refused(String content) {
    assertThatThrownBy(() -> Collected.read(Collected.as(Format.CSV), content))
        .isInstanceOf(Failure.class)
        .hasMessage("in, line 1: there should be a header line, but the line is blank");
  }

  @Test
  void a_header_that_is_not_utf_8_is_refused() {
    assertThatThrownBy(() -> Collected.read(Collected.as(Format.CSV), "na\u00EFve,b\n1,2\n"))
        .isInstanceOf(Failure.class)
        .hasMessage("in, line 1: the header line is not valid UTF-8; convert the file with iconv");
  }

  @Test
  void an_over_long_header_is_refused() {
    assertThatThrownBy(() -> Collected.read(Collected.as(Format.CSV, 8), "abcdefghi,b\n1,2\n"))
        .isInstanceOf(Failure.class)
        .hasMessage("in, line 1: the header line is longer than --max-record allows");
  }

  @Test
  void empty_inputs_are_passed_over_and_do_not_decide_the_format() {
    Collected all = Collected.read(Collected.keyed("id"), "", "id,n\n1,a\n", "", "id,n\n2,b");

    assertThat(all.format).isEqualTo(Format.CSV);
    assertThat(all.bytes()).containsExactly("1,a\n", "2,b");
  }

  @Test
  void the_first_input_decides_the_format_of_all() {
    Collected all = Collected.read(ReadSettings.defaults(), "{\"a\":1}\n", "id,n\n1,2\n");

    assertThat(all.format).isEqualTo(Format.JSONL);
    assertThat(all.bytes()).containsExactly("{\"a\":1}\n", "id,n\n", "1,2\n");
  }

  @Test
  void no_input_at_all_ends_at_once() {
    Collected all = Collected.read(ReadSettings.defaults(), List.of());

    assertThat(all.records).isEmpty();
    assertThat(all.format).isNull();
  }

  /** Case 69: a line above the buffer's limit ended the reading without a word. */
  @Test
  void an_over_long_record_is_told_comes_in_parts_and_reading_goes_on() {
    int limit = 1 << 20;
    String big = "{\"id\":2,\"x\":\"" + "y".repeat(5 << 20) + "\"}\n";
    RecordBatch batch = new RecordBatch();

    Collected all =
        Collected.read(
            Collected.as(Format.JSONL, limit),
            batch,
            List.of(Collected.input("{\"id\":1}\n" + big + "{\"id\":3}\n")));

    assertThat(all.bytes()).containsExactly("{\"id\":1}\n", big, "{\"id\":3}\n");
    assertThat(all.problems()).containsExactly(Problem.NONE, Problem.OVER_LONG, Problem.NONE);
    assertThat(all.lines()).containsExactly(1L, 2L, 3L);
    assertThat(all.parts).isGreaterThan(5);
    assertThat(all.largestBuffer).isLessThanOrEqualTo(limit + (256 << 10) + 2);
  }

  @Test
  void an_over_long_record_may_be_the_last_and_have_no_line_end() {
    String big = "x".repeat(700_000);

    Collected all = Collected.read(Collected.as(Format.LINES, 1000), "a\n" + big);

    assertThat(all.bytes()).containsExactly("a\n", big);
    assertThat(all.problems()).containsExactly(Problem.NONE, Problem.OVER_LONG);
  }

  @Test
  void an_over_long_csv_record_is_followed_through_its_quotes() {
    String big = "1,\"" + "line \"\"x\"\"\n".repeat(100_000) + "\"\n";

    Collected all = Collected.read(Collected.as(Format.CSV, 5000), "id,t\n" + big + "2,\"b\n\"\n");

    assertThat(all.bytes()).containsExactly(big, "2,\"b\n\"\n");
    assertThat(all.problems()).containsExactly(Problem.OVER_LONG, Problem.NONE);
    assertThat(all.lines()).containsExactly(2L, 100_003L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", ""})
  void the_line_end_does_not_count_for_the_size_limit(String lineEnd) {
    String content = "1234567890" + lineEnd;

    assertThat(Collected.read(Collected.as(Format.LINES, 10), content).problems())
        .containsExactly(Problem.NONE);
    assertThat(Collected.read(Collected.as(Format.LINES, 9), content).problems())
        .containsExactly(Problem.OVER_LONG);
  }

  @Test
  void a_record_just_within_the_limit_is_whole() {
    String big = "x".repeat(3_000_000);

    Collected all =
        Collected.read(Collected.as(Format.LINES, 3_000_000), big + "\r\n" + big + "\r\n" + big);

    assertThat(all.contents()).containsExactly(big, big, big);
    assertThat(all.problems()).containsOnly(Problem.NONE);
  }

  @Test
  void a_big_record_does_not_leave_a_big_buffer_behind() {
    RecordBatch batch = new RecordBatch();
    String content = "x".repeat(5 << 20) + "\n" + "small\n".repeat(200_000);

    try (RecordReader reader =
        new RecordReader(List.of(Collected.input(content)), Collected.as(Format.LINES))) {
      while (reader.read(batch)) {
        // The last batch counts.
      }
    }

    assertThat(batch.bytes().length).isEqualTo(256 << 10);
  }

  @ParameterizedTest
  @EnumSource(Format.class)
  void a_slow_stream_is_not_held_back(Format format) throws IOException {
    Pipe pipe = Pipe.open();
    RecordBatch batch = new RecordBatch();
    ReadSettings settings = new ReadSettings(format, false, 1000, List.of());
    try (Pipe.SinkChannel sink = pipe.sink();
        InputStream source = Channels.newInputStream(pipe.source());
        RecordReader reader = new RecordReader(List.of(Collected.input(source)), settings)) {
      for (String line : List.of("1\n", "\"second\"\r\n", "\"third\"\n")) {
        sink.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));

        assertThat(reader.read(batch)).isTrue();
        assertThat(batch.size()).isEqualTo(1);
        assertThat(batch.end(0) - batch.start(0)).isEqualTo(line.length());
      }
    }
  }

  @Test
  void a_slow_stream_is_not_held_back_by_detection() throws IOException {
    Pipe pipe = Pipe.open();
    RecordBatch batch = new RecordBatch();
    try (Pipe.SinkChannel sink = pipe.sink();
        InputStream source = Channels.newInputStream(pipe.source());
        RecordReader reader =
            new RecordReader(List.of(Collected.input(source)), ReadSettings.defaults())) {
      sink.write(ByteBuffer.wrap("{\"id\":1}\n".getBytes(StandardCharsets.UTF_8)));

      assertThat(reader.read(batch)).isTrue();
      assertThat(batch.size()).isEqualTo(1);
    }
  }

  @Test
  void blank_lines_can_be_told_from_others() {
    assertThat(blankLines(Format.JSONL)).containsExactly(true, true, false, true);
    assertThat(blankLines(Format.CSV)).containsExactly(true, true, false, true);
  }

  @Test
  void a_line_of_tabs_is_a_record_where_tabs_delimit_fields() {
    assertThat(blankLines(Format.TSV)).containsExactly(true, false, false, true);
  }

  @Test
  void among_plain_lines_every_line_is_a_record() {
    assertThat(blankLines(Format.LINES)).containsExactly(false, false, false, false);
  }

  private static List<Boolean> blankLines(Format format) {
    List<Boolean> blank = new ArrayList<>();
    RecordBatch batch = new RecordBatch();
    ReadSettings settings = new ReadSettings(format, false, 1000, List.of());
    try (RecordReader reader =
        new RecordReader(List.of(Collected.input("\n \t\r\nx\n ")), settings)) {
      while (reader.read(batch)) {
        for (int i = 0; i < batch.size(); i++) {
          blank.add(batch.isBlank(i, format));
        }
      }
    }
    return blank;
  }

  @Test
  void a_missing_file_and_a_folder_cannot_be_read() {
    Path missing = folder.resolve("missing.jsonl");

    assertThatThrownBy(() -> Input.file(missing).check())
        .isInstanceOfSatisfying(
            Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.IO_FAILURE))
        .hasMessage("cannot read " + missing + ": no such file or folder");
    assertThatThrownBy(() -> Input.file(folder).check())
        .hasMessage("cannot read " + folder + ": it is a folder");
  }

  @Test
  void progress_counts_bytes_and_records() throws IOException {
    Path first = Files.writeString(folder.resolve("1"), "a\nb\n");
    Path second = Files.writeString(folder.resolve("2"), "c\n");
    RecordBatch batch = new RecordBatch();
    try (RecordReader reader =
        new RecordReader(
            List.of(Input.file(first), Input.file(second)), Collected.as(Format.LINES))) {
      assertThat(reader.progress().totalBytes()).isEqualTo(6);
      while (reader.read(batch)) {
        assertThat(reader.progress().records()).isGreaterThanOrEqualTo(batch.number(0));
      }
      assertThat(reader.progress().bytes()).isEqualTo(6);
      assertThat(reader.progress().records()).isEqualTo(3);
    }
  }

  @Test
  void the_total_is_unknown_where_an_input_is_not_a_file() throws IOException {
    Path file = Files.writeString(folder.resolve("1"), "a\n");
    List<Input> inputs = List.of(Input.file(file), Collected.input("b\n"));
    try (RecordReader reader = new RecordReader(inputs, ReadSettings.defaults())) {
      assertThat(reader.progress().totalBytes()).isEqualTo(-1);
    }
  }

  @Test
  void a_failing_stream_is_told_with_the_line_that_was_reached() {
    InputStream failing =
        new InputStream() {
          private int left = 6;

          @Override
          public int read() throws IOException {
            if (left-- > 0) {
              return left % 2 == 0 ? '\n' : 'x';
            }
            throw new IOException("Input/output error");
          }

          @Override
          public int read(byte[] b, int off, int len) throws IOException {
            if (len > 0) {
              b[off] = (byte) read();
            }
            return Math.min(len, 1);
          }
        };

    assertThatThrownBy(
            () -> Collected.read(Collected.as(Format.LINES), List.of(Collected.input(failing))))
        .isInstanceOf(Failure.class)
        .hasMessage("cannot read in on from line 4: Input/output error");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MAX_VALUE})
  void a_size_limit_out_of_range_is_refused(int bytes) {
    assertThatThrownBy(() -> Collected.as(Format.LINES, bytes))
        .isInstanceOf(Failure.class)
        .hasMessage("--max-record must be between 1 byte and 1 GiB, was " + bytes + " bytes");
  }
}
