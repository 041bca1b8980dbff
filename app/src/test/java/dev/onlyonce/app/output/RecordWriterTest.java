package dev.onlyonce.app.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.ReadSettings;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.app.input.RecordReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordWriterTest {
  private static final String BOM = "\u00EF\u00BB\u00BF";

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  @TempDir Path folder;

  @Test
  void records_are_written_as_they_came() {
    assertThat(copy(Format.LINES, "a\nb\r\n\nc\rd")).isEqualTo("a\nb\r\n\nc\rd");
  }

  @Test
  void a_missing_line_end_is_added_where_another_record_follows() {
    assertThat(copy(Format.LINES, "a\nb", "c\nd")).isEqualTo("a\nb\nc\nd");
    assertThat(copy(Format.LINES, "b", "c")).isEqualTo("b\nc");
  }

  @Test
  void the_line_end_that_is_added_is_of_the_kind_before() {
    assertThat(copy(Format.LINES, "a\r\nb", "c\r\n")).isEqualTo("a\r\nb\r\nc\r\n");
  }

  @Test
  void a_byte_order_mark_is_written_only_at_the_beginning() {
    assertThat(copy(Format.LINES, BOM + "a\n", BOM + "b\n")).isEqualTo(BOM + "a\nb\n");
    assertThat(copy(Format.LINES, "a\n", BOM + "b\n")).isEqualTo("a\nb\n");
  }

  @Test
  void the_first_header_is_written_with_its_byte_order_mark() {
    assertThat(copy(Format.CSV, BOM + "id,n\r\n1,a\r\n", BOM + "id,n\n2,b\n"))
        .isEqualTo(BOM + "id,n\r\n1,a\r\n2,b\n");
  }

  @Test
  void a_header_without_line_end_gets_one_before_the_first_record() {
    assertThat(copy(Format.CSV, "id", "id\n1\n")).isEqualTo("id\n1\n");
  }

  @Test
  void records_larger_than_the_buffer_are_written_whole() {
    String big = "x".repeat(3 << 20);

    assertThat(copy(Format.LINES, "a\n" + big + "\nb\n" + big))
        .isEqualTo("a\n" + big + "\nb\n" + big);
  }

  @Test
  void the_parts_of_an_over_long_record_are_put_together() {
    String big = "x\r".repeat(500_000);
    ReadSettings settings = new ReadSettings(Format.LINES, true, 10, List.of());

    assertThat(copy(settings, "a\n" + big, big + "\nb"))
        .isEqualTo("a\n" + big + "\n" + big + "\nb");
  }

  @Test
  void many_random_records_come_out_as_they_went_in() {
    Random random = new Random(7);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      text.append("y".repeat(random.nextInt(200))).append(random.nextBoolean() ? "\n" : "\r\n");
    }

    assertThat(copy(Format.LINES, text.toString())).isEqualTo(text.toString());
  }

  @Test
  void a_flush_hands_on_what_was_written_so_far() {
    RecordBatch batch = new RecordBatch();
    try (RecordReader reader = reader(ReadSettings.defaults(), "a\nb\n");
        RecordWriter writer = writer()) {
      reader.read(batch);
      writer.write(batch, 0);
      assertThat(written.size()).isZero();

      writer.flush();

      assertThat(written.toString(StandardCharsets.ISO_8859_1)).isEqualTo("a\n");
    }
  }

  private String copy(Format format, String... contents) {
    return copy(new ReadSettings(format, true, 1 << 30, List.of()), contents);
  }

  private String copy(ReadSettings settings, String... contents) {
    written.reset();
    RecordBatch batch = new RecordBatch();
    try (RecordReader reader = reader(settings, contents);
        RecordWriter writer = writer()) {
      boolean more = reader.read(batch);
      reader.header().ifPresent(writer::write);
      for (; more; more = reader.read(batch)) {
        for (int i = 0; i < batch.size(); i++) {
          writer.write(batch, i);
        }
      }
    }
    return written.toString(StandardCharsets.ISO_8859_1);
  }

  private RecordWriter writer() {
    return new RecordWriter("out", Channels.newChannel(written), false, true);
  }

  private RecordReader reader(ReadSettings settings, String... contents) {
    List<Input> inputs = new ArrayList<>();
    try {
      for (String content : contents) {
        Path file = Files.createTempFile(folder, "in", "");
        inputs.add(Input.file(Files.writeString(file, content, StandardCharsets.ISO_8859_1)));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return new RecordReader(inputs, settings);
  }
}
