package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.app.store.Credentials;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.app.store.StoreAddress;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.testkit.Semantics;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the program does with a store that others may use, whichever server has it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SharedStoreRules {

  private static final Duration LEASE = Duration.ofSeconds(30);

  /** What a pipe holds at the most that nobody reads. */
  private static final int PIPE_BYTES = 64 << 10;

  private static final int RECORD_BYTES = "key-00000\n".length();

  @TempDir Path folder;

  /** The store's address, with what is needed to be let in. */
  abstract String address();

  private Result run(String... arguments) {
    return new InProcess(folder).run(arguments);
  }

  private String jobs() {
    return "--store=" + address();
  }

  /** Where another server's clock may take over, a lease is given some seconds more. */
  private void awaitInDoubt(String scope) {
    while (run("claims", "list", "--in-doubt", "--scope=" + scope, jobs()).lines().size() < 2) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  final OpenStore change() {
    return StoreAddress.access(address(), new Credentials(null, null), null).change("worker-1");
  }

  private void claim(String scope, String key, Duration lease, Lapse lapse) {
    try (OpenStore store = change()) {
      store.claims().claim(List.of(ClaimRequest.of(Scope.of(scope), Key.of(key), 7, lease, lapse)));
    }
  }

  @Test
  void an_operator_decides_about_keys() {
    claim("billing", "order-1", Duration.ofMillis(1), Lapse.PARK);
    claim("billing", "order-2", LEASE, Lapse.TAKE);

    assertThat(run("claims", "show", "order-1", jobs()).out()).contains("in doubt");
    awaitInDoubt("billing");
    assertThat(
            run("claims", "resolve", "order-1", "--done", "--result=OK", "--as=ann", jobs()).code())
        .isZero();
    Result shown = run("claims", "show", "order-1", "--with-bytes", jobs());
    assertThat(shown.out()).contains("done", "OK");
    assertThat(run("claims", "resolve", "order-1", "--rerun", jobs()).code()).isEqualTo(1);
    assertThat(run("claims", "release", "order-2", jobs()).code()).isZero();
    assertThat(run("claims", "show", "order-2", jobs()).out()).contains("released");
    assertThat(run("claims", "history", "order-2", jobs()).code()).isZero();
    assertThat(run("claims", "show", "order-3", jobs()).code()).isEqualTo(1);
    assertThat(run("claims", "stats", "--by-scope", "--json", jobs()).out())
        .contains("\"scope\":\"billing\"");
  }

  @Test
  void runs_with_the_same_scope_share_their_keys() throws IOException {
    Files.writeString(folder.resolve("in"), "a\nb\na\nc\n");
    Files.writeString(folder.resolve("more"), "c\nd\n");

    Result first = run("dedup", jobs(), "--scope=job-1", "--out", "@out", "@in");
    Result second =
        run("dedup", jobs(), "--scope=job-1", "--out", "@out", "--duplicates", "@d", "@more");
    Result other = run("dedup", jobs(), "--scope=job-2", "--out", "@other", "@more");

    assertThat(List.of(first.code(), second.code(), other.code())).containsOnly(0);
    assertThat(folder.resolve("out")).hasContent("a\nb\nc\nd\n");
    assertThat(folder.resolve("d")).hasContent("c\n");
    assertThat(folder.resolve("other")).hasContent("c\nd\n");
  }

  @Test
  void two_runs_at_the_same_time_pass_each_key_once() throws Exception {
    List<String> keys = writeInput(6_000);

    List<Process> both = List.of(start("race", "one"), start("race", "two"));
    for (Process each : both) {
      assertThat(each.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(each.exitValue()).as(Files.readString(folder.resolve("err"))).isZero();
    }

    List<String> passed = new ArrayList<>(Files.readAllLines(folder.resolve("one")));
    passed.addAll(Files.readAllLines(folder.resolve("two")));
    assertThat(passed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(keys);
  }

  /** It is killed when it has claimed more keys than there can be records in its output. */
  @Test
  void a_run_that_is_killed_loses_nothing_and_the_next_repeats_no_more_than_is_said()
      throws Exception {
    List<String> keys = writeInput(20_000);
    Process killed = command("kill", "-").redirectError(folder.resolve("killed").toFile()).start();
    awaitMoreKeysThanAPipeHolds("kill", killed);
    killed.toHandle().destroyForcibly(); // of its process, the output would be closed
    Set<String> passed = new HashSet<>(lines(killed.getInputStream()));
    assertThat(killed.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(killed.exitValue()).as(Files.readString(folder.resolve("killed"))).isNotZero();
    assertThat(passed).as("what it had passed on").isNotEmpty().hasSizeLessThan(keys.size());

    Process next = start("kill", "out");
    while (next.isAlive()
        && !Files.readString(folder.resolve("err")).contains("waiting for keys that another run")) {
      LockSupport.parkNanos(10_000_000);
    }
    lapse("kill");
    assertThat(next.waitFor(180, TimeUnit.SECONDS)).isTrue();
    assertThat(next.exitValue()).as(Files.readString(folder.resolve("err"))).isZero();

    // What the first one wrote last may be there once more, the very last of it cut short.
    List<String> nextPassed = Files.readAllLines(folder.resolve("out"));
    assertThat(nextPassed.stream().filter(passed::contains).count()).isLessThanOrEqualTo(5_000);
    passed.addAll(nextPassed);
    List<String> lost = new ArrayList<>(keys);
    lost.removeAll(passed);
    assertThat(lost).isEmpty();
  }

  @Test
  void a_run_that_a_signal_ends_has_completed_what_it_has_written() throws Exception {
    List<String> keys = writeInput(20_000);
    Process ended = start("signal", "first");
    awaitMoreKeysThanAPipeHolds("signal", ended);
    ended.destroy();
    assertThat(ended.waitFor(60, TimeUnit.SECONDS)).isTrue();

    assertThat(claimed("signal")).isZero();
    assertThat(run("dedup", jobs(), "--scope=signal", "--out", "@second", "@in").code()).isZero();
    assertPassedOnce(keys, "first", "second");
  }

  @Test
  void a_run_that_a_damaged_input_ends_has_completed_what_it_has_written() throws Exception {
    List<String> keys = writeInput(2_000);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(Files.readAllBytes(folder.resolve("in")));
    }
    Files.write(folder.resolve("in.gz"), Arrays.copyOf(packed.toByteArray(), packed.size() / 2));

    Result damaged = run("dedup", jobs(), "--scope=damaged", "--out", "@first", "@in.gz");
    assertThat(damaged.code()).as(damaged.err()).isEqualTo(3);
    assertThat(Files.readAllLines(folder.resolve("first"))).isNotEmpty();

    assertThat(claimed("damaged")).isZero();
    assertThat(run("dedup", jobs(), "--scope=damaged", "--out", "@second", "@in").code()).isZero();
    assertPassedOnce(keys, "first", "second");
  }

  /** What its reader has left in the pipe is nobody's: the next run has what was not completed. */
  @Test
  void a_run_whose_reader_goes_away_leaves_no_key_claimed() throws Exception {
    writeInput(20_000);
    Process left = command("left", "-").redirectError(folder.resolve("left").toFile()).start();
    assertThat(left.getInputStream().read()).isPositive();
    left.getInputStream().close();
    assertThat(left.waitFor(60, TimeUnit.SECONDS)).isTrue();

    assertThat(left.exitValue()).as(Files.readString(folder.resolve("left"))).isZero();
    assertThat(claimed("left")).isZero();
  }

  private void assertPassedOnce(List<String> keys, String... files) throws IOException {
    List<String> passed = new ArrayList<>();
    for (String file : files) {
      passed.addAll(Files.readAllLines(folder.resolve(file)));
    }
    assertThat(passed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(keys);
  }

  /** Returns how many keys of a scope are claimed and not settled, up to a page. */
  final int claimed(String scope) {
    Query claimed = new Query(Scope.of(scope), Set.of(ClaimState.CLAIMED), false, Limits.BATCH);
    try (OpenStore store = change()) {
      int all = 0;
      String cursor = null;
      do {
        Page page = store.reader().list(claimed, cursor);
        all += page.records().size();
        cursor = page.next();
      } while (cursor != null);
      return all;
    }
  }

  /** Waits until the store knows more keys of this run than there are records in its output. */
  final void awaitMoreKeysThanAPipeHolds(String scope, Process run) {
    try (OpenStore store = change()) {
      Query all = new Query(Scope.of(scope), EnumSet.allOf(ClaimState.class), false, Limits.BATCH);
      long known = 0;
      while (run.isAlive() && known * RECORD_BYTES <= PIPE_BYTES) {
        LockSupport.parkNanos(10_000_000);
        known = 0;
        String cursor = null;
        do {
          Page page = store.reader().list(all, cursor);
          known += page.records().size();
          cursor = page.next();
        } while (cursor != null);
      }
    }
  }

  private static List<String> lines(InputStream pipe) {
    return new BufferedReader(new InputStreamReader(pipe, UTF_8)).lines().toList();
  }

  /** Lets all leases of a scope be over, as they are after half a minute. */
  private void lapse(String scope) {
    Query claimed = new Query(Scope.of(scope), Set.of(ClaimState.CLAIMED), false, Limits.BATCH);
    try (OpenStore store = change()) {
      String cursor = null;
      do {
        Page page = store.reader().list(claimed, cursor);
        if (!page.records().isEmpty()) {
          store.claims().renew(page.records().stream().map(SharedStoreRules::over).toList());
        }
        cursor = page.next();
      } while (cursor != null);
    }
  }

  private static Renewal over(ClaimRecord record) {
    Key key = Objects.requireNonNull(record.key());
    Claim claim = new Claim(record.scope(), key, record.token(), record.attempt());
    return new Renewal(claim, Duration.ZERO, null);
  }

  /** Writes each key two times, in a random order; returns the keys. */
  final List<String> writeInput(int keys) throws IOException {
    List<String> all = IntStream.range(0, keys).mapToObj("key-%05d"::formatted).toList();
    Random random = new Random(20_261_130);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 2 * keys; i++) {
      lines.add(all.get(random.nextInt(keys)));
    }
    Files.write(folder.resolve("in"), lines);
    Set<String> used = new HashSet<>(lines);
    return all.stream().filter(used::contains).toList();
  }

  private Process start(String scope, String out) throws IOException {
    return command(scope, out)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("err").toFile()))
        .start();
  }

  final ProcessBuilder command(String scope, String out) {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "dedup",
            jobs(),
            "--scope=" + scope,
            "--out=" + out,
            "in")
        .directory(folder.toFile());
  }

  @Test
  void the_doctor_looks_at_settings_clock_speed_and_room() {
    claim("examined", "sample", LEASE, Lapse.TAKE); // a store in Redis is made by its first user
    Result result = run("doctor", jobs(), "--rate=10", "--retention=1h");

    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .contains("server", "its tables or files are as they should be", "clock", "one key")
        .containsPattern("(?m)^ok +rate +10 new keys a second .*, one caller gets [0-9,]+ done")
        .containsPattern("36,000 keys are remembered at a time, about [0-9]+ MiB at ");
    assertThat(run("doctor", jobs(), "--rate=99000000", "--retention=1s").out())
        .containsPattern("(?m)^unsafe +rate +99,000,000 new keys .*: see with onlyonce bench ");
    assertThat(run("doctor", jobs(), "--json").out()).contains("\"topic\":\"batches\"");
  }

  @Test
  void the_demo_charges_once_with_this_store_too() {
    Result result = run("demo", jobs(), "--seed=5", "--callbacks=1500", "--kills=3", "--json");

    assertThat(result.code()).as(result.err() + result.out()).isZero();
    assertThat(result.out()).containsPattern("\"run\":\"onlyonce\"[^}]*\"doubled\":0,\"lost\":0");
  }

  @Test
  @Semantics(101)
  void after_a_restore_what_was_claimed_is_in_doubt() {
    claim("restored", "order-7", Duration.ofHours(1), Lapse.TAKE);

    assertThat(run("doctor", "--restored", jobs()).out()).contains("say --yes");
    assertThat(run("doctor", "--restored", "--yes", jobs()).out()).contains("put in doubt");
    awaitInDoubt("restored");
    assertThat(run("claims", "resolve", "order-7", "--done", "--scope=restored", jobs()).code())
        .isZero();
  }

  @Test
  void a_shared_store_needs_a_scope_and_has_no_time_of_its_own() {
    assertThat(run("dedup", jobs(), "@in").err()).contains("--store needs --scope NAME");
    assertThat(run("dedup", jobs(), "--scope=x", "--window=1h", "--time=/t", "@in").err())
        .contains("--time needs a clock of its own");
  }
}
