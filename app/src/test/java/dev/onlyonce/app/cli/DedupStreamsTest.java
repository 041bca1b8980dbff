package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole streams, held against what simple models say. */
class DedupStreamsTest {
  @TempDir Path folder;
  private DedupRun run;

  @BeforeEach
  void makeRun() {
    run = new DedupRun(folder);
  }

  @Test
  void first_deliveries_of_an_at_least_once_stream_pass_in_order() throws IOException {
    for (int seed = 0; seed < 3; seed++) {
      AtLeastOnceStream stream = new AtLeastOnceStream(new Random(seed), 3_000);

      expectFirstDeliveries(stream.lines(), stream.firstDeliveries());
      assertThat(stream.lines().size()).isGreaterThan(3_700);
    }
  }

  private void expectFirstDeliveries(List<String> lines, List<String> expected) {
    Set<String> first = new HashSet<>(expected);
    List<String> passed =
        lines.stream().filter(line -> first.contains(AtLeastOnceStream.deliveryId(line))).toList();
    List<String> again =
        lines.stream().filter(line -> !first.contains(AtLeastOnceStream.deliveryId(line))).toList();

    DedupRun.Result result =
        run.dedup(
            "--key",
            "/event/eventID",
            "--duplicates",
            run.path("again"),
            run.file("in", String.join("\n", lines) + "\n"));

    assertThat(result.code()).isZero();
    assertThat(result.out().lines().map(AtLeastOnceStream::deliveryId).toList())
        .isEqualTo(expected);
    assertThat(result.out().lines().toList()).isEqualTo(passed);
    assertThat(run.content("again").lines().toList()).isEqualTo(again);
    assertThat(result.counts())
        .containsExactly(
            (long) lines.size(), (long) passed.size(), (long) again.size(), 0L, 0L, 0L);
  }

  @Test
  void whole_lines_are_compared_as_awk_does_but_for_carriage_returns() {
    Random random = new Random(7);
    StringBuilder in = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      int length = random.nextInt(4);
      for (int j = 0; j < length; j++) {
        in.append("ab\0\u00FF\r \t\"".charAt(random.nextInt(8)));
      }
      in.append(random.nextInt(3) == 0 ? "\r\n" : "\n");
    }

    DedupRun.Result result = run.dedup("-f", "lines", run.file("in", in.toString()));

    assertThat(result.out())
        .isEqualTo(firsts(in.toString(), line -> line.replaceFirst("\r?\n$", "")));
  }

  @Test
  void a_hundred_thousand_keys_come_out_as_a_set_says() {
    Random random = new Random(11);
    StringBuilder in = new StringBuilder("{\"id\":0,\"n\":-1}\n");
    for (int i = 0; i < 200_000; i++) {
      int id = random.nextInt(140_000);
      in.append("{\"n\":").append(i).append(",\"id\":").append(id);
      in.append(random.nextBoolean() ? "}\n" : ".0}\n");
    }
    UnaryOperator<String> id =
        line -> line.startsWith("{\"id") ? "0" : line.split("\"id\":|[.}]", 3)[1];

    DedupRun.Result result = run.dedup("--key", "/id", run.file("in", in.toString()));

    assertThat(result.out()).isEqualTo(firsts(in.toString(), id));
    assertThat(result.counts().get(1)).isGreaterThan(100_000);
  }

  /** out + duplicates + those without key + bad ones are the input, and each in its order. */
  @Test
  void every_record_goes_to_exactly_one_place() {
    Random random = new Random(5);
    StringBuilder in = new StringBuilder();
    for (int i = 0; i < 30_000; i++) {
      String tail = ",\"n\":" + i + "}";
      in.append(
          switch (random.nextInt(10)) {
            case 0 -> "{\"n\":" + i + "}";
            case 1 -> "{\"id\":null" + tail;
            case 2 -> "{\"id\":oops" + tail;
            case 3 -> "{\"id\":1,\"long\":\"" + "x".repeat(random.nextInt(400)) + "\"" + tail;
            case 4 -> "";
            default -> "{\"id\":" + random.nextInt(5_000) + tail;
          });
      in.append(random.nextBoolean() ? "\n" : "\r\n");
    }
    String input = in.toString();

    DedupRun.Result result =
        run.dedup(
            "-f",
            "jsonl",
            "--key",
            "/id",
            "--max-record",
            "300",
            "--duplicates",
            run.path("again"),
            "--missing-key",
            run.path("no"),
            "--bad-record",
            run.path("bad"),
            run.file("in", input));

    List<Long> counts = result.counts();
    assertThat(counts.get(0))
        .isEqualTo(30_000)
        .isEqualTo(counts.stream().skip(1).reduce(0L, Long::sum));
    List<String> all = new ArrayList<>();
    for (String part : List.of("out", "again", "no", "bad")) {
      List<String> records = split(run.content(part));
      assertThat(records).isNotEmpty();
      assertThat(isSubsequence(records, split(input))).as(part).isTrue();
      all.addAll(records);
    }
    assertThat(all.stream().sorted().toList()).isEqualTo(split(input).stream().sorted().toList());
    assertThat(split(run.content("out"))).hasSize((int) (counts.get(1) + counts.get(5)));
  }

  @Test
  void files_in_several_packings_and_with_nothing_in_them_are_one_stream() throws IOException {
    String empty = run.file("empty", "");
    String header = run.file("header", "id,n\n");
    String one = run.file("one", "id,n\n1,a\n2,b");
    byte[] bytes = "id,n\r\n2,c\r\n3,d\r\n".getBytes(UTF_8);
    String two = run.file("two", Zstd.compress(bytes));

    DedupRun.Result result = run.dedup("--key", "id", empty, header, one, empty, two, one, header);

    assertThat(result.out()).isEqualTo("id,n\n1,a\n2,b\n3,d\r\n");
    assertThat(result.counts()).containsExactly(6L, 3L, 3L, 0L, 0L, 0L);
  }

  private static boolean isSubsequence(List<String> part, List<String> whole) {
    int at = 0;
    for (String record : whole) {
      if (at < part.size() && part.get(at).equals(record)) {
        at++;
      }
    }
    return at == part.size();
  }

  private static String firsts(String in, UnaryOperator<String> key) {
    Set<String> seen = new HashSet<>();
    StringBuilder firsts = new StringBuilder();
    for (String line : split(in)) {
      if (seen.add(key.apply(line))) {
        firsts.append(line);
      }
    }
    return firsts.toString();
  }

  private static List<String> split(String lines) {
    return List.of(lines.split("(?<=\n)", -1)).stream().filter(line -> !line.isEmpty()).toList();
  }
}
