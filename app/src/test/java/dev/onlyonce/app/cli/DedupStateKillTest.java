package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.testkit.Case;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --state}, when the process is killed, the disk is full, or the stream's reader leaves. */
class DedupStateKillTest {

  private static final int RECORDS = 100_000;
  private static final int KILLS = 5;

  @TempDir Path folder;
  private final Random random = new Random(20_261_129);
  private final List<String> first = new ArrayList<>();
  private final List<String> later = new ArrayList<>();

  @BeforeEach
  void writeInput() throws IOException {
    StringBuilder lines = new StringBuilder();
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < RECORDS; i++) {
      int key = random.nextInt(RECORDS / 2);
      String line = "{\"id\":\"order-%d\",\"copy\":%d}".formatted(key, i);
      lines.append(line).append('\n');
      (seen.add(key) ? first : later).add(line);
    }
    Files.writeString(folder.resolve("in.jsonl"), lines);
  }

  private ProcessBuilder program(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "dedup",
                "--key=/id",
                "--state=state"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).directory(folder.toFile());
  }

  private Process start(Path out, String... arguments) throws IOException {
    ProcessBuilder builder = program(arguments);
    builder.command().add("in.jsonl");
    return builder
        .redirectOutput(ProcessBuilder.Redirect.appendTo(out.toFile()))
        .redirectError(folder.resolve("err").toFile())
        .start();
  }

  /** Kills the process when a file has become this long, so that it is in the middle of it. */
  private boolean killAt(Process process, Path watched, long bytes) throws Exception {
    while (process.isAlive()) {
      if (size(watched) >= bytes) {
        process.destroyForcibly();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() != 0;
      }
      LockSupport.parkNanos(1_000_000);
    }
    return false;
  }

  /** Returns a length of the output, the longer the more kills there were before. */
  private long share(int kill) {
    long whole = first.stream().mapToLong(line -> line.length() + 1).sum();
    return 1 + (long) (whole * (kill + random.nextDouble()) / (KILLS + 1));
  }

  private static long size(Path file) {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String run(Path out, String... arguments) throws Exception {
    Process process = start(out, arguments);
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    String err = Files.readString(folder.resolve("err"));
    assertThat(process.exitValue()).as(err).isZero();
    return err;
  }

  @Test
  void a_run_that_is_killed_again_and_again_leaves_exactly_the_expected_files() throws Exception {
    Path nowhere = folder.resolve("nowhere");
    Path out = folder.resolve("out");
    String[] files = {"--out=out", "--duplicates=again"};
    int kills = 0;
    for (int i = 0; i < KILLS; i++) {
      kills += killAt(start(nowhere, files), out, share(i)) ? 1 : 0;
    }

    String last = run(nowhere, files);

    assertThat(kills).isPositive();
    assertThat(last).contains(" resumed;");
    assertThat(Files.readAllLines(out)).isEqualTo(first);
    assertThat(Files.readAllLines(folder.resolve("again"))).isEqualTo(later);

    String again = run(nowhere, files);

    assertThat(again).contains("0 passed on, 100,000 duplicates").doesNotContain("resumed");
    assertThat(Files.readAllLines(out)).isEqualTo(first);
  }

  @Test
  void a_stream_loses_nothing_and_repeats_the_last_buffer_at_the_most() throws Exception {
    Path out = folder.resolve("stream");
    Files.createFile(out);
    int kills = 0;
    for (int i = 0; i < KILLS; i++) {
      kills += killAt(start(out), out, share(i)) ? 1 : 0;
    }
    run(out);

    // What a kill has cut in the middle of a line stands before the line that follows.
    Set<String> found = new HashSet<>();
    int repeated = 0;
    for (String line : Files.readAllLines(out)) {
      String whole = line.substring(line.lastIndexOf("{\"id\""));
      repeated += found.add(whole) ? 0 : 1;
    }
    assertThat(kills).isPositive();
    List<String> lost = new ArrayList<>(first);
    lost.removeAll(found); // a set is asked, where containsAll would search it for each
    assertThat(lost).isEmpty();
    int linesOfABuffer = (256 << 10) / first.get(0).length();
    assertThat(repeated).isLessThanOrEqualTo(kills * linesOfABuffer);
  }

  @Test
  void known_failure_31_a_second_writer_is_told_which_process_has_the_state() throws Exception {
    Process holder = program().start();
    try {
      give(holder, "{\"id\":1}\n"); // and it waits for more
      while (!Files.exists(folder.resolve("state/store"))) {
        assertThat(holder.isAlive()).isTrue();
        LockSupport.parkNanos(1_000_000);
      }
      Process second = start(folder.resolve("nowhere"), "--out=out");

      assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(second.exitValue()).isEqualTo(4);
      assertThat(Files.readString(folder.resolve("err"))).contains("process " + holder.pid());
      assertThat(folder.resolve("out")).doesNotExist();
    } finally {
      holder.destroyForcibly().waitFor();
    }
  }

  private static void give(Process process, String records) throws IOException {
    OutputStream in = process.getOutputStream();
    in.write(records.getBytes(UTF_8));
    in.flush();
  }

  /** The state is made with the first record: it must not be written over by who came too late. */
  @Test
  void a_run_that_another_one_has_overtaken_before_its_first_record_is_refused() throws Exception {
    Process waiting = program("--out=held").redirectError(folder.resolve("told").toFile()).start();
    try {
      while (!Files.exists(folder.resolve("held"))) {
        assertThat(waiting.isAlive()).isTrue();
        LockSupport.parkNanos(1_000_000);
      }
      run(folder.resolve("nowhere"), "--out=out");

      give(waiting, "{\"id\":\"new\"}\n");

      assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(waiting.exitValue()).isEqualTo(4);
      assertThat(folder.resolve("told"))
          .hasContent(
              "onlyonce: another run has made the state in state meanwhile; run this again\n");
      assertThat(folder.resolve("held")).doesNotExist();
      assertThat(Files.readAllLines(folder.resolve("out"))).isEqualTo(first);
    } finally {
      waiting.destroyForcibly().waitFor();
    }
  }

  @Test
  void a_record_that_is_being_set_aside_in_parts_is_whole_after_a_kill() throws Exception {
    byte[] begin = "{\"id\":\"".getBytes(UTF_8);
    byte[] piece = "x".repeat(100_000).getBytes(UTF_8);
    byte[] end = "\"}\n".getBytes(UTF_8);
    byte[] next = "{\"id\":1}\n".getBytes(UTF_8);
    String[] arguments = {"--max-record=1MiB", "--bad-record=bad", "--out=out", "--stats=none"};
    Process first = program(arguments).start();
    OutputStream unfinished = first.getOutputStream();
    unfinished.write(begin);
    for (int i = 1; i <= 30; i++) {
      unfinished.write(piece);
      unfinished.flush();
      // The program waits for its input again and again, and would save what it has.
      while (i > 15 && size(folder.resolve("bad")) < (i - 5L) * piece.length) {
        assertThat(first.isAlive()).isTrue();
        LockSupport.parkNanos(1_000_000);
      }
    }
    first.destroyForcibly().waitFor();

    Process second = program(arguments).start();
    try (OutputStream in = second.getOutputStream()) {
      in.write(begin);
      for (int i = 0; i < 40; i++) {
        in.write(piece);
      }
      in.write(end);
      in.write(next);
    }

    assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(second.exitValue()).isZero();
    assertThat(folder.resolve("bad")).hasSize(begin.length + 40L * piece.length + end.length);
    assertThat(folder.resolve("out")).hasBinaryContent(next);
  }

  @Test
  void an_interrupted_run_must_be_gone_on_with_by_the_same_files() throws Exception {
    Path nowhere = folder.resolve("nowhere");
    assertThat(killAt(start(nowhere, "--out=out"), folder.resolve("out"), 1)).isTrue();
    byte[] before = Files.readAllBytes(folder.resolve("out"));

    Process other = start(nowhere, "--out=other");

    assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(other.exitValue()).isEqualTo(4);
    assertThat(Files.readString(folder.resolve("err")))
        .contains("interrupted while it wrote " + folder.resolve("out").toRealPath());
    assertThat(Files.readAllBytes(folder.resolve("out"))).isEqualTo(before);
    assertThat(folder.resolve("other")).doesNotExist();

    Files.delete(folder.resolve("out")); // then there is nothing to cut back
    run(nowhere, "--out=other");
    assertThat(first).containsSubsequence(Files.readAllLines(folder.resolve("other")));
  }

  @Test
  void what_is_cut_off_for_another_input_is_told() throws Exception {
    Path nowhere = folder.resolve("nowhere");
    Path out = folder.resolve("out");
    assertThat(killAt(start(nowhere, "--out=out"), out, 1)).isTrue();
    Files.writeString(out, "not made sure of", StandardOpenOption.APPEND);
    Files.writeString(folder.resolve("in.jsonl"), "{\"id\":\"another\"}\n");

    String err = run(nowhere, "--out=out");

    assertThat(err)
        .containsPattern("[0-9,]+ bytes cut off --out out: the interrupted run had not made sure");
    assertThat(Files.readString(out)).doesNotContain("not made").contains("another");
  }

  @Test
  @Case(71)
  void when_the_reader_leaves_no_key_is_remembered_that_was_not_written() {
    Shell shell = Shell.withProgram(folder);
    String command = "$once dedup --key /id --state state --stats none in.jsonl";

    Shell.Result result =
        shell.run(command + " | head -n 5 > begin; " + command + " > rest; wc -l < rest");

    // The pipe holds some buffers that head did not read; all else comes in the second run.
    assertThat(Integer.parseInt(result.out().strip())).isGreaterThan(first.size() - 20_000);
  }

  @Test
  void on_a_full_disk_the_run_ends_and_what_was_not_written_is_not_remembered() throws Exception {
    String command = "$once dedup --key /id --stats none --state %s --out %s in.jsonl";
    String script =
        """
        mkdir small && mount -t tmpfs -o size=1m tmpfs small || exit 99
        %s; echo $?; %s; echo $?
        mount -o remount,size=200m small
        %s; echo $?; %s; echo $?
        cp small/out2 out2
        """;
    String stateThere = command.formatted("small/state", "out1");
    String fileThere = command.formatted("state2", "small/out2");

    Shell.Result result =
        Shell.withProgram(folder)
            .set("once", "java -XX:TieredStopAtLevel=1 " + Main.class.getName())
            .set("script", script.formatted(stateThere, fileThere, stateThere, fileThere))
            .run("unshare --user --map-root-user --mount bash -c \"$script\"");

    assertThat(result.out()).as(result.err()).isEqualTo("4\n4\n0\n0\n");
    assertThat(result.err())
        .contains("the local store is full")
        .contains("cannot write --out small/out2: No space left on device");
    assertThat(Files.readAllLines(folder.resolve("out1"))).isEqualTo(first);
    assertThat(Files.readAllLines(folder.resolve("out2"))).isEqualTo(first);
  }
}
