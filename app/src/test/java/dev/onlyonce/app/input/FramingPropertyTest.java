package dev.onlyonce.app.input;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random inputs, read in pieces of random size into buffers of random size. The seed is the
 * parameter of the test, so a failure names it.
 */
class FramingPropertyTest {
  static LongStream seeds() {
    return LongStream.range(0, 150);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void csv_is_cut_where_the_reference_cuts_it(long seed) {
    Random random = new Random(seed);
    String csv = randomCsv(random);

    Collected all = readInPieces(csv, Format.CSV, Integer.MAX_VALUE, random);

    List<CsvRecord> expected = reference(csv);
    assertThat(fields(all)).isEqualTo(expected.stream().map(CsvRecord::getFields).toList());
    assertThat(all.lines())
        .isEqualTo(expected.stream().map(CsvRecord::getStartingLineNumber).toList());
    assertThat(String.join("", all.bytes())).isEqualTo(csv);
    assertThat(all.problems()).containsOnly(Problem.NONE);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void lines_are_cut_behind_each_line_feed(long seed) {
    Random random = new Random(seed);
    String text = randomText(random, "ab\r\n\n\"\t", 3000);
    List<String> expected = new ArrayList<>();
    int start = 0;
    for (int at = 0; at < text.length(); at++) {
      if (text.charAt(at) == '\n' || at == text.length() - 1) {
        expected.add(text.substring(start, at + 1));
        start = at + 1;
      }
    }

    Collected all = readInPieces(text, Format.LINES, Integer.MAX_VALUE, random);

    assertThat(all.bytes()).isEqualTo(expected);
    assertThat(all.lines()).isEqualTo(LongStream.rangeClosed(1, expected.size()).boxed().toList());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void any_bytes_at_all_come_out_as_they_went_in_however_they_arrive(long seed) {
    Random random = new Random(seed);
    String bytes = randomText(random, "\"\"\"\n\r,,a\u00FF", 1 + random.nextInt(4000));
    Format format = random.nextBoolean() ? Format.CSV : Format.LINES;

    Collected inOne =
        readInPieces(bytes, format, Integer.MAX_VALUE, new Random(0), 1 << 20, 1 << 20);
    Collected inPieces = readInPieces(bytes, format, Integer.MAX_VALUE, random);

    assertThat(String.join("", inOne.bytes())).isEqualTo(bytes);
    assertThat(inPieces.records).isEqualTo(inOne.records);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_size_limit_changes_nothing_but_which_records_are_over_long(long seed) {
    Random random = new Random(seed);
    String csv = random.nextBoolean() ? randomCsv(random) : randomText(random, "\"\n\r,ab", 2000);
    int limit = 1 + random.nextInt(40);

    Collected unlimited = readInPieces(csv, Format.CSV, Integer.MAX_VALUE, random);
    Collected limited = readInPieces(csv, Format.CSV, limit, random);

    assertThat(limited.bytes()).isEqualTo(unlimited.bytes());
    assertThat(limited.lines()).isEqualTo(unlimited.lines());
    assertThat(limited.problems())
        .isEqualTo(
            unlimited.records.stream()
                .map(r -> r.content().length() > limit ? Problem.OVER_LONG : r.problem())
                .toList());
  }

  private static Collected readInPieces(String text, Format format, int limit, Random random) {
    int largestPiece = 1 + random.nextInt(random.nextBoolean() ? 20 : 2000);
    int capacity = 1 + random.nextInt(random.nextBoolean() ? 20 : 2000);
    return readInPieces(text, format, limit, random, largestPiece, capacity);
  }

  private static Collected readInPieces(
      String text, Format format, int limit, Random random, int largestPiece, int capacity) {
    byte[] bytes = Collected.latin1(text);
    int maxRecord = Math.min(limit, ReadSettings.LARGEST_MAX_RECORD_BYTES);
    return Collected.read(
        new ReadSettings(format, false, maxRecord, List.of()),
        new RecordBatch(capacity),
        List.of(Collected.input(new ChunkedStream(bytes, random, largestPiece))));
  }

  private static List<List<String>> fields(Collected all) {
    DelimitedFields fields = new DelimitedFields(Format.CSV);
    return all.records.stream()
        .map(
            record -> {
              byte[] content = Collected.latin1(record.content());
              int count = fields.split(content, 0, content.length, Integer.MAX_VALUE);
              return IntStream.range(0, count).mapToObj(i -> field(fields, i)).toList();
            })
        .toList();
  }

  private static String field(DelimitedFields fields, int column) {
    assertThat(fields.select(column)).isTrue();
    return new String(
        fields.bytes(), fields.offset(), fields.length(), StandardCharsets.ISO_8859_1);
  }

  private static List<CsvRecord> reference(String csv) {
    return CsvReader.builder()
        .skipEmptyLines(false)
        .allowExtraFields(true)
        .allowMissingFields(true)
        .ofCsvRecord(csv)
        .stream()
        .toList();
  }

  private static String randomText(Random random, String alphabet, int length) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }

  /** Well-formed CSV: quotes, doubled quotes, line ends of both kinds inside and outside. */
  private static String randomCsv(Random random) {
    StringBuilder csv = new StringBuilder();
    int records = 1 + random.nextInt(30);
    for (int i = 0; i < records; i++) {
      int fields = 1 + random.nextInt(5);
      for (int j = 0; j < fields; j++) {
        csv.append(j == 0 ? "" : ",").append(randomField(random));
      }
      boolean last = i == records - 1;
      boolean empty = csv.isEmpty() || csv.charAt(csv.length() - 1) == '\n';
      if (!last || random.nextBoolean() || empty) {
        csv.append(random.nextBoolean() ? "\n" : "\r\n");
      }
    }
    return csv.toString();
  }

  private static String randomField(Random random) {
    int length = random.nextInt(random.nextInt(5) == 0 ? 60 : 6);
    if (random.nextInt(3) > 0) {
      return randomText(random, "abc \u00E9", length);
    }
    String inside = randomText(random, "ab,,\"\n\r", length).replace("\"", "\"\"");
    return "\"" + inside.replace("\r", "\r\n") + "\"";
  }
}
