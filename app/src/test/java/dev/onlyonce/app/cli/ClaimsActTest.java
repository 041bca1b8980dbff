package dev.onlyonce.app.cli;

import static dev.onlyonce.app.cli.FilledStore.BILLING;
import static dev.onlyonce.app.cli.FilledStore.MAIL;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Locks;
import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.local.LocalStore;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code claims resolve}, {@code release} and {@code reset}. */
class ClaimsActTest {
  private static final String KEY = "order-1/paid";

  @TempDir Path folder;
  private InProcess once;
  private Path directory;

  @BeforeEach
  void start() {
    once = new InProcess(folder);
    directory = folder.resolve("store");
  }

  private Result claims(String verb, String... more) {
    List<String> arguments = new ArrayList<>(List.of("claims", verb, "--state", "@store"));
    if (List.of("resolve", "release", "reset").contains(verb)) {
      arguments.addAll(List.of("--as", "anna"));
    }
    arguments.addAll(List.of(more));
    return once.run(arguments.toArray(String[]::new));
  }

  private FilledStore store() {
    return FilledStore.at(directory);
  }

  private ClaimRecord find(String key) {
    return FilledStore.find(directory, BILLING, key);
  }

  private Answer ask(String key) {
    return FilledStore.ask(directory, BILLING, key);
  }

  private Map<String, byte[]> files() throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.toList()) {
        files.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
    return files;
  }

  @Test
  void what_has_happened_is_done_with_its_result_and_later_copies_are_duplicates() {
    store().inDoubt(BILLING, KEY).close();
    long before = find(KEY).token();

    Result result = claims("resolve", KEY, "--done", "--result", "receipt 17");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .matches(
            """
            order-1/paid in scope billing: done \\(was in doubt; new token \\d+\\)
            1 key completed
            remembered until \\S+ \\(in 7 d\\), and copies that come later run: --retention must be as\
             long as the program keeps keys
            """);
    assertThat(find(KEY).token()).isGreaterThan(before);
    assertThat(find(KEY).owner()).isEqualTo("operator:anna");
    assertThat(ask(KEY))
        .isInstanceOfSatisfying(
            Answer.Done.class,
            done ->
                assertThat(done.result())
                    .isEqualTo(
                        new dev.onlyonce.Result.Value("text/plain", "receipt 17".getBytes(UTF_8))));
    assertThat(claims("history", KEY).out()).contains("done ", "operator:anna");
  }

  @Test
  void a_result_may_come_from_a_file_or_be_unknown() {
    store().inDoubt(BILLING, KEY).inDoubt(BILLING, "order-2/paid").close();
    once.write("result", new byte[] {0, 1, 2});

    claims("resolve", KEY, "--done", "--result-file", "@result", "--result-type", "image/png");
    claims("resolve", "order-2/paid", "--done");

    assertThat(find(KEY).result())
        .isEqualTo(new dev.onlyonce.Result.Value("image/png", new byte[] {0, 1, 2}));
    assertThat(find("order-2/paid").result()).isEqualTo(dev.onlyonce.Result.NOT_KEPT);
  }

  /** Engines may keep keys for longer than a week: a shorter memory lets a late copy run. */
  @Test
  void an_outcome_is_remembered_as_long_as_was_said_or_as_the_key_tells_but_at_least_a_week() {
    Duration month = Duration.ofDays(30);
    store()
        .failed(BILLING, "month", "no", month)
        .failed(BILLING, "day", "no", Duration.ofDays(1))
        .inDoubt(BILLING, "said")
        .inDoubt(BILLING, "doubt")
        .close();

    Result told = claims("resolve", "--done", "--force", "month", "day");
    Result said = claims("resolve", "--done", "said", "--retention", "40d");
    claims("resolve", "--done", "doubt");

    assertThat(told.out() + said.out()).doesNotContain("remembered");
    assertThat(kept("month")).isEqualTo(month);
    assertThat(kept("day")).isEqualTo(Duration.ofDays(7));
    assertThat(kept("said")).isEqualTo(Duration.ofDays(40));
    assertThat(kept("doubt")).isEqualTo(Duration.ofDays(7));
    claims("reset", "--done-too", "month");
    assertThat(kept("month")).as("of how often it was tried").isEqualTo(month);
  }

  private Duration kept(String key) {
    ClaimRecord record = find(key);
    return Duration.ofMillis(record.expiresAtMillis() - record.updatedAtMillis());
  }

  @Test
  void until_when_is_said_before_keys_are_completed_and_the_program_may_keep_them_for_longer() {
    store().inDoubt(BILLING, KEY).close();
    String warning =
        "remembered until \\S+ \\(in 7 d\\), and copies .* --retention must be .* keys\n";

    assertThat(claims("resolve", "--in-doubt", "--done").err())
        .matches(".* would change 1 key: .* --yes; they would be " + warning);
    assertThat(claims("resolve", KEY, "--done", "--dry-run").out())
        .matches("(?s).*\n1 key would be completed; nothing was changed\n" + warning);
    assertThat(claims("resolve", "--in-doubt", "--done", "--retention", "30d").err())
        .endsWith("then say --yes\n");
    assertThat(claims("resolve", "--in-doubt", "--rerun").err()).endsWith("then say --yes\n");
  }

  @Test
  void what_has_not_happened_runs_with_its_next_copy() {
    store().inDoubt(BILLING, KEY).close();

    Result result = claims("resolve", KEY, "--rerun");

    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("released, runs with its next copy (was in doubt");
    assertThat(find(KEY).state()).isEqualTo(ClaimState.RELEASED);
    assertThat(ask(KEY))
        .isInstanceOfSatisfying(
            Answer.Claimed.class,
            claimed -> {
              assertThat(claimed.claim().attempt()).isEqualTo(1);
              assertThat(claimed.checkpoint()).containsExactly(1, 2, 3);
            });
  }

  @Test
  void the_holder_that_comes_back_after_a_decision_is_fenced() {
    Claim zombie;
    try (FilledStore store = store()) {
      zombie = store.claim(BILLING, Key.of(KEY), Duration.ofSeconds(30), Lapse.PARK);
    }
    claims("resolve", KEY, "--rerun");

    try (LocalStore store = LocalStore.open(directory)) {
      Settlement late =
          new Settlement.Complete(zombie, dev.onlyonce.Result.NONE, Duration.ofDays(1));
      assertThat(store.settle(List.of(late))).containsExactly(Held.LOST);
    }
  }

  /** What the sentence of a lock in doubt says must be what the program takes. */
  @Test
  @Semantics(101)
  void a_lock_that_was_held_at_a_backup_is_freed_by_the_commands_that_its_refusal_names() {
    for (int command = 1; command <= 2; command++) {
      try (LocalStore store = LocalStore.open(directory);
          Locks locks = Locks.on(store)) {
        assertThat(locks.tryLock("books")).isPresent();
      }
      assertThat(once.run("doctor", "--restored", "--yes", "--state", "@store").code()).isZero();

      Matcher named =
          Pattern.compile("onlyonce (claims resolve books .*), .* onlyonce (claims resolve .*)")
              .matcher(refusalOfLock());
      assertThat(named.find()).isTrue();
      Result freed = once.run((named.group(command) + " --state @store").split(" ", -1));

      assertThat(freed.out()).as(freed.err()).endsWith("1 key released\n");
      try (LocalStore store = LocalStore.open(directory);
          Locks locks = Locks.on(store)) {
        assertThat(locks.tryLock("books").orElseThrow().release()).isTrue();
      }
    }
  }

  /** Waits for the lease with which a restore claims it, which is one of a millisecond. */
  private String refusalOfLock() {
    try (LocalStore store = LocalStore.open(directory);
        Locks locks = Locks.on(store)) {
      Throwable refusal = catchThrowable(() -> locks.lock("books", Duration.ofSeconds(60)));
      assertThat(refusal).isInstanceOf(StoreException.class);
      return String.valueOf(refusal.getMessage());
    }
  }

  @Test
  void a_failed_key_runs_again_after_a_reset_with_its_attempts_counted_anew() {
    store().failed(BILLING, KEY, "declined").close();
    long before = find(KEY).token();

    assertThat(claims("reset", KEY).out()).contains("reset, runs with its next copy (was failed");

    assertThat(find(KEY).token()).isGreaterThan(before);
    assertThat(ask(KEY))
        .isInstanceOfSatisfying(
            Answer.Claimed.class, it -> assertThat(it.claim().attempt()).isEqualTo(1));
    assertThat(claims("history", KEY).out())
        .containsSubsequence("failed ", "worker-1: declined", "operator:anna", "released");
  }

  @Test
  void a_key_that_is_done_is_reset_only_if_that_is_said() {
    store().done(BILLING, KEY, "ok").close();

    Result refused = claims("reset", KEY);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.out())
        .isEqualTo(
            "order-1/paid in scope billing: not changed: it is done: its effect would happen again;"
                + " --done-too says that it is meant\n0 keys reset\n");
    assertThat(find(KEY).state()).isEqualTo(ClaimState.DONE);

    assertThat(claims("reset", KEY, "--done-too").code()).isZero();
    assertThat(ask(KEY)).isInstanceOf(Answer.Claimed.class);
  }

  @Test
  void a_key_that_waits_for_its_next_attempt_is_due_at_once_after_a_reset() {
    store().released(BILLING, KEY, Duration.ofDays(3)).close();

    claims("reset", KEY);

    assertThat(ask(KEY)).isInstanceOf(Answer.Claimed.class);
  }

  @Test
  void a_claim_whose_holder_is_gone_is_given_back_and_its_attempt_counts() {
    store().claimed(BILLING, KEY, Lapse.TAKE).close();

    assertThat(claims("release", KEY).code()).isZero();

    assertThat(ask(KEY))
        .isInstanceOfSatisfying(
            Answer.Claimed.class, it -> assertThat(it.claim().attempt()).isEqualTo(2));
  }

  @Test
  void what_a_command_is_not_for_is_left_alone_and_says_what_is() {
    store()
        .inDoubt(BILLING, "doubt")
        .claimed(BILLING, "parked", Lapse.PARK)
        .lapsed(BILLING, "lapsed")
        .failed(BILLING, "failed", "no")
        .done(BILLING, "done", "ok")
        .released(BILLING, "released", Duration.ZERO)
        .close();

    Result release = claims("release", "doubt", "parked", "failed", "done", "released");
    assertThat(release.code()).isEqualTo(1);
    assertThat(release.lines())
        .containsExactly(
            "doubt in scope billing: not changed: it is in doubt: claims resolve says whether it has"
                + " taken effect",
            "parked in scope billing: not changed: it is in doubt when its lease ends, which is in"
                + " 1 h 59 min: whether it has taken effect is then for claims resolve to say",
            "failed in scope billing: not changed: it has failed: claims reset lets it run again",
            "done in scope billing: not changed: it is done",
            "released in scope billing: not changed: it is released already",
            "0 keys released");
    Result rerun = claims("resolve", "--rerun", "parked", "lapsed", "failed", "done", "released");
    assertThat(rerun.lines())
        .containsExactly(
            "parked in scope billing: not changed: it is not in doubt but claimed; its lease ends in"
                + " 1 h 59 min",
            "lapsed in scope billing: not changed: it is not in doubt: its next copy runs it",
            "failed in scope billing: not changed: it is not in doubt but failed",
            "done in scope billing: not changed: it is not in doubt but done",
            "released in scope billing: not changed: it is not in doubt: its next copy runs it",
            "0 keys released");
    assertThat(claims("reset", "doubt", "lapsed").lines())
        .containsExactly(
            "doubt in scope billing: not changed: it is in doubt: claims resolve says whether it has"
                + " taken effect",
            "lapsed in scope billing: not changed: it is claimed: claims release gives it back",
            "0 keys reset");
    assertThat(claims("resolve", "--done", "failed", "done").code()).isEqualTo(1);
    assertThat(claims("resolve", "--done", "--force", "failed", "lapsed", "parked").out())
        .contains("3 keys completed\n");
  }

  @Test
  void keys_that_are_absent_or_in_several_scopes_are_told_and_the_others_are_done() {
    store().inDoubt(BILLING, KEY).inDoubt(BILLING, "both").inDoubt(MAIL, "both").close();

    Result result = claims("resolve", "--done", "nope", "both", KEY, KEY);

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.lines().subList(0, 2))
        .containsExactly(
            "nope is absent: nothing is known of it, so its next copy runs",
            "both is in several scopes (billing, mail): say which with --scope");
    assertThat(result.out()).contains("\n1 key completed\n");
    assertThat(claims("resolve", "--done", "both", "--scope", "mail").code()).isZero();
    assertThat(find("both").state()).isEqualTo(ClaimState.CLAIMED);
  }

  @Test
  void a_dry_run_shows_all_and_changes_nothing() throws IOException {
    FilledStore open = FilledStore.large(directory);
    for (int i = 0; i < 1_200; i++) {
      open.inDoubt(BILLING, "order-" + i);
    }
    open.inDoubt(MAIL, "letter");
    Map<String, byte[]> before = files();

    Result result =
        claims("resolve", "--in-doubt", "--rerun", "--scope", "billing", "--dry-run", "--json");
    Result unconfirmed = claims("resolve", "--in-doubt", "--rerun", "--scope", "billing");

    assertThat(result.code()).isZero();
    assertThat(result.lines())
        .hasSize(1_200)
        .allMatch(it -> it.contains("\"action\":\"rerun\",\"changed\":false,\"dryRun\":true"));
    assertThat(unconfirmed)
        .isEqualTo(
            new Result(
                2,
                "",
                "onlyonce: --in-doubt would change 1,200 keys: look with --dry-run, then say"
                    + " --yes\n"));
    assertThat(files()).usingRecursiveComparison().isEqualTo(before);
    open.close();
  }

  @Test
  void all_of_a_kind_are_done_with_yes_and_the_filters_leave_the_others() {
    try (FilledStore store = FilledStore.large(directory)) {
      for (int i = 0; i < 1_200; i++) {
        store.inDoubt(BILLING, "order-" + i);
      }
      store.inDoubt(BILLING, "other").inDoubt(MAIL, "order-1").lapsed(BILLING, "order-x");
    }

    Result result =
        claims(
            "resolve",
            "--in-doubt",
            "--rerun",
            "--yes",
            "--scope",
            "billing",
            "--key-prefix",
            "order-");

    assertThat(result.code()).isZero();
    assertThat(result.out()).endsWith("\n1,200 keys released\n");
    assertThat(claims("stats", "--json").out()).contains("\"released\":1200,\"inDoubt\":2");
    assertThat(claims("resolve", "--in-doubt", "--done", "--yes", "--older-than", "2h").out())
        .isEqualTo("nothing to do: --in-doubt leaves no key\n");
    assertThat(claims("resolve", "--in-doubt", "--done", "--yes").out())
        .contains("2 keys completed\n");
  }

  @Test
  void all_claims_and_all_failed_keys_can_be_meant() {
    store()
        .failed(BILLING, "a", "no")
        .failed(BILLING, "b", "no")
        .lapsed(BILLING, "c")
        .claimed(BILLING, "d", Lapse.TAKE)
        .claimed(BILLING, "e", Lapse.PARK)
        .inDoubt(BILLING, "f")
        .close();

    assertThat(claims("reset", "--failed", "--yes").out()).endsWith("2 keys reset\n");
    Result release = claims("release", "--claimed", "--yes");
    assertThat(release.code()).isZero();
    assertThat(release.out()).endsWith("2 keys released\n");
    assertThat(claims("stats", "--json").out()).contains("\"claimed\":2", "\"released\":4");
  }

  @Test
  void where_there_is_nothing_to_do_that_is_said_and_nobody_is_asked_to_confirm_it() {
    store().done(BILLING, KEY, "ok").claimed(BILLING, "parked", Lapse.PARK).close();

    for (List<String> order :
        List.of(
            List.of("resolve", "--in-doubt", "--done"),
            List.of("resolve", "--in-doubt", "--rerun"),
            List.of("release", "--claimed"),
            List.of("reset", "--failed"))) {
      String nothing = "nothing to do: " + order.get(1) + " leaves no key\n";
      List<String> words = new ArrayList<>(order.subList(1, order.size()));
      for (List<String> more : List.of(List.<String>of(), List.of("--yes"), List.of("-n"))) {
        words.addAll(more);
        assertThat(claims(order.get(0), words.toArray(String[]::new)))
            .as("%s %s", order, more)
            .isEqualTo(new Result(0, nothing, ""));
        words.removeAll(more);
      }
      words.add("--json");
      assertThat(claims(order.get(0), words.toArray(String[]::new)))
          .isEqualTo(new Result(0, "", ""));
    }
  }

  /** A program that reads JSON was not told until when the key is remembered. */
  @Test
  void json_warns_of_what_text_warns_of() {
    store().inDoubt(BILLING, KEY).failed(BILLING, "failed", "no").close();
    String warning =
        ".*,\"warning\":\"remembered until \\S+ \\(in 7 d\\), and copies .* program keeps keys\"}\n";

    assertThat(claims("resolve", KEY, "--done", "--dry-run", "--json").out()).matches(warning);
    assertThat(claims("resolve", KEY, "--done", "--json").out()).matches(warning);
    assertThat(claims("resolve", "failed", "--done", "--force", "--json").out())
        .contains("\"changed\":true")
        .doesNotContain("warning");
  }

  /** After a decision the record had shown two attempts, and only one had run. */
  @Test
  @Semantics({20, 24})
  void a_decision_is_no_attempt() {
    store()
        .inDoubt(BILLING, KEY)
        .claimed(BILLING, "held", Lapse.TAKE)
        .failed(BILLING, "failed", "no")
        .close();

    claims("resolve", KEY, "--done");
    claims("release", "held");
    claims("resolve", "failed", "--done", "--force");

    for (String key : List.of(KEY, "held", "failed")) {
      assertThat(find(key).attempt()).as(key).isEqualTo(1);
    }
  }

  @Test
  void while_another_has_the_store_open_nothing_is_changed() {
    try (FilledStore store = store().inDoubt(BILLING, KEY)) {
      Result result = claims("resolve", KEY, "--done");

      assertThat(result.code()).isEqualTo(4);
      assertThat(result.err()).contains("is in use by this process");
      assertThat(store.directory()).isEqualTo(directory);
    }
    assertThat(find(KEY).state()).isEqualTo(ClaimState.CLAIMED);
  }

  @Test
  void where_there_is_no_store_none_is_made() {
    assertThat(claims("resolve", KEY, "--done"))
        .isEqualTo(new Result(4, "", "onlyonce: there is no local store in store\n"));
    assertThat(directory).doesNotExist();
  }

  @Test
  void what_is_missing_or_too_much_is_said() {
    store().inDoubt(BILLING, KEY).close();

    assertThat(claims("resolve", "--done").err())
        .isEqualTo("onlyonce: name keys, or all of a kind with --in-doubt\n");
    assertThat(claims("release", KEY, "--claimed").err())
        .isEqualTo(
            "onlyonce: --claimed is for all keys of a kind, but 'order-1/paid' is named, too; leave"
                + " out one of them\n");
    assertThat(claims("resolve", KEY).err().lines())
        .first()
        .isEqualTo(
            "onlyonce: Missing required argument (specify one of these): (--done | --rerun)");
    assertThat(claims("resolve", KEY, "--done", "--rerun").err())
        .startsWith("onlyonce: --done, --rerun are mutually exclusive");
  }

  @Test
  void a_command_line_that_makes_no_sense_is_refused() {
    store().inDoubt(BILLING, KEY).close();

    for (List<String> arguments :
        List.of(
            List.of("resolve", KEY),
            List.of("resolve", KEY, "--done", "--rerun"),
            List.of("resolve", "--done"),
            List.of("resolve", KEY, "--done", "--in-doubt"),
            List.of("resolve", KEY, "--rerun", "--result", "x"),
            List.of("resolve", KEY, "--rerun", "--force"),
            List.of("resolve", "--in-doubt", "--done", "--result", "x", "--yes"),
            List.of("resolve", KEY, "--done", "--result", "x".repeat(65_537)),
            List.of("resolve", KEY, "--done", "--result", "x", "--result-type", ""),
            List.of("resolve", KEY, "--done", "--older-than", "1h"),
            List.of("resolve", KEY, "--done", "--as", " "),
            List.of("reset", "--failed", "--done-too", "--yes"),
            List.of("reset"),
            List.of("release"))) {
      String[] more = arguments.subList(1, arguments.size()).toArray(String[]::new);
      Result result = claims(arguments.get(0), more);
      assertThat(result.code()).as("%s", arguments).isEqualTo(2);
      assertThat(result.err()).as("%s", arguments).startsWith("onlyonce: ");
    }
    assertThat(find(KEY).state()).isEqualTo(ClaimState.CLAIMED);
  }
}
