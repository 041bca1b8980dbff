package dev.onlyonce.app.cli;

import static dev.onlyonce.app.cli.FilledStore.BILLING;
import static dev.onlyonce.app.cli.FilledStore.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.store.local.LocalStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code claims show}, {@code history}, {@code list} and {@code stats}. */
class ClaimsReadTest {
  @TempDir Path folder;
  private InProcess once;

  @BeforeEach
  void start() {
    once = new InProcess(folder);
  }

  private FilledStore store() {
    return FilledStore.at(folder.resolve("store"));
  }

  private void fill() {
    try (FilledStore store = store()) {
      store
          .done(BILLING, "order-1/paid", "receipt 1")
          .inDoubt(BILLING, "order-2/paid")
          .failed(BILLING, "order-3/paid", "card \u001b[31mdeclined\n")
          .lapsed(MAIL, "order-1/paid")
          .claimed(MAIL, "order-4/paid", Lapse.TAKE)
          .claimed(BILLING, "order-4/paid", Lapse.PARK)
          .released(BILLING, "order-5/paid", Duration.ofHours(5))
          .released(BILLING, "order-6/paid", Duration.ZERO)
          .done(MAIL, "~c:order-7,paid", "ok")
          .done(MAIL, "~j:4711", "ok");
    }
  }

  private Result claims(String verb, String... more) {
    List<String> arguments = new ArrayList<>(List.of("claims", verb, "--state", "@store"));
    arguments.addAll(List.of(more));
    return once.run(arguments.toArray(String[]::new));
  }

  @Test
  void a_key_that_is_done_is_shown_with_what_that_means() {
    fill();

    Result result = claims("show", "order-1/paid", "--scope", "billing");

    assertThat(result.code()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .matches(
            """
            key         order-1/paid
            scope       billing
            state       done
            meaning     It has taken effect; later copies are answered as duplicates.
            token       \\d{16}
            attempt     1
            owner       worker-1
            created     20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d.\\d\\d\\dZ \\(1 h ago\\)
            settled     \\S+Z \\(1 h ago\\)
            kept until  \\S+Z \\(in 6 d 22 h\\)
            result      text/plain, 9 bytes
            """);
  }

  @Test
  void each_standing_has_its_sentence() {
    fill();

    assertThat(claims("show", "order-2/paid").out())
        .contains("state       in doubt\n", "whether it has taken effect is not known")
        .containsPattern("lease until \\S+Z \\(59 min \\d+ s ago\\)")
        .contains("checkpoint  3 bytes");
    assertThat(claims("show", "order-3/paid").out())
        .contains("state       failed", "reason      card \\u{1b}[31mdeclined\\n\n");
    assertThat(claims("show", "order-1/paid", "--scope", "mail").out())
        .contains("state       lapsed", "the next copy runs it again.");
    assertThat(claims("show", "order-4/paid", "--scope", "mail").out())
        .contains("state       claimed", "when that is over, the next copy runs it again.")
        .containsPattern("lease until \\S+Z \\(in 1 h 59 min\\)");
    assertThat(claims("show", "order-4/paid", "--scope", "billing").out())
        .contains("when that is over, it is in doubt.");
    assertThat(claims("show", "order-5/paid").out())
        .contains("state       released", "told to come later")
        .containsPattern("not before  \\S+Z \\(in 3 h 59 min\\)");
    assertThat(claims("show", "order-6/paid").out()).contains("is free; the next copy runs it.");
  }

  @Test
  void without_a_scope_all_scopes_are_looked_into() {
    fill();

    Result result = claims("show", "order-1/paid");

    assertThat(result.out()).contains("scope       billing\n", "\n\nkey ", "scope       mail\n");
  }

  @Test
  void bytes_are_shown_on_request() {
    fill();

    assertThat(claims("show", "order-1/paid", "--scope", "billing", "--with-bytes").out())
        .endsWith("result      text/plain, 9 bytes\n            receipt 1\n");
    assertThat(claims("show", "order-2/paid", "--with-bytes", "--json").out())
        .contains("\"checkpoint\":{\"bytes\":3,\"text\":\"\\u0001\\u0002\\u0003\"}");
    assertThat(claims("show", "order-2/paid", "--with-bytes").out())
        .endsWith("            \\u{1}\\u{2}\\u{3}\n");
  }

  @Test
  void an_absent_key_is_an_answer_with_exit_code_1() {
    fill();

    assertThat(claims("show", "order-9/paid"))
        .isEqualTo(
            new Result(
                1, "order-9/paid is absent: nothing is known of it, so its next copy runs\n", ""));
    String object =
        "{\"key\":\"order-9/paid\",\"state\":\"absent\",\"reason\":\"order-9/paid is absent: nothing"
            + " is known of it, so its next copy runs\"}\n";
    for (String verb : List.of("show", "history")) {
      assertThat(claims(verb, "order-9/paid").code()).isEqualTo(1);
      assertThat(claims(verb, "order-9/paid", "--json")).isEqualTo(new Result(1, object, ""));
    }
    assertThat(claims("show", "order-1/paid", "order-9/paid").code()).isEqualTo(1);
  }

  @Test
  void a_key_that_is_written_alike_is_pointed_at() {
    fill();

    assertThat(claims("show", "4711").out())
        .isEqualTo(
            "4711 is absent: nothing is known of it; but there is ~j:4711, which is JSON and not"
                + " text\n");
    assertThat(claims("show", "order-7,paid").out()).contains("but there is ~c:order-7,paid");
    assertThat(claims("show", "\"order-1\\/paid\"").out())
        .endsWith("but there is order-1/paid, which is the text in those quotes\n")
        .startsWith("\"order-1\\/paid\" is absent");
    assertThat(claims("show", "~c:order-7,paid").code()).isZero();
    assertThat(claims("show", "~j:4711").code()).isZero();
  }

  /** Who asks for 4711 was told that there is none, and there was ~c:4711,paid. */
  @Test
  void a_part_of_a_key_is_answered_with_keys_that_begin_so() {
    try (FilledStore store = store()) {
      store.done(BILLING, "~c:4711,paid", "ok").lapsed(MAIL, "47110");
      for (String event : List.of("a", "b", "c", "d")) {
        store.done(BILLING, "~c:4712," + event, "ok");
      }
      store.done(BILLING, "~c:~j:4713,paid", "ok").done(BILLING, "~c:4713,sent", "ok");
      store.done(BILLING, "~c:a\\,b,paid", "ok").failed(BILLING, "order-1/paid", "no");
    }

    assertThat(claims("show", "4711").out())
        .isEqualTo(
            "4711 is absent: nothing is known of it; but there is ~c:4711,paid, which begins so\n");
    assertThat(claims("show", "4712").out())
        .endsWith("there are ~c:4712,a and ~c:4712,b and ~c:4712,c and others, which begin so\n");
    assertThat(claims("show", "4713").out())
        .endsWith("there are ~c:4713,sent and ~c:~j:4713,paid, which begin so\n");
    assertThat(claims("show", "a,b").out()).endsWith("is ~c:a\\,b,paid, which begins so\n");
    assertThat(claims("show", "~c:4711").out()).endsWith("is ~c:4711,paid, which begins so\n");
    assertThat(claims("show", "order-1").out()).endsWith("is order-1/paid, which begins so\n");
    assertThat(claims("show", "4711", "--scope", "mail").out())
        .endsWith("in scope mail: nothing is known of it; but there is 47110, which begins so\n");
    assertThat(claims("history", "4711").out()).contains("~c:4711,paid, which begins so");
    assertThat(claims("show", "4711", "--json").out()).contains("~c:4711,paid, which begins so");
    assertThat(claims("show", "9").out()).endsWith("so its next copy runs\n");
  }

  @Test
  void where_not_all_keys_were_looked_at_it_is_said_how_a_longer_one_is_written() {
    try (FilledStore store = FilledStore.large(folder.resolve("store"))) {
      for (int i = 0; i < 10_001; i++) {
        store.lapsed(BILLING, "order-" + i);
      }
    }

    assertThat(claims("show", "4711").out())
        .endsWith(
            "so its next copy runs; if it is the first part of a key, that is written"
                + " ~c:4711,PART\n");
  }

  @Test
  void what_a_store_does_not_know_is_a_dash_and_null_in_json() {
    try (LocalStore nobody = LocalStore.at(folder.resolve("store")).owner("").open()) {
      nobody.claim(
          List.of(ClaimRequest.of(BILLING, Key.of("a"), 1, Duration.ofDays(1), Lapse.TAKE)));
    }

    assertThat(claims("show", "a").out()).contains("\nowner       -\n");
    assertThat(claims("show", "a", "--json").out()).contains("\"owner\":null,");
    assertThat(claims("history", "a").out()).endsWith("       1  -\n");
  }

  @Test
  void what_cannot_be_a_key_is_told() {
    fill();

    assertThat(claims("show", "~d:xyz").code()).isEqualTo(2);
    assertThat(claims("show", "~d:xyz").err()).contains("must have pairs of hexadecimal digits");
    for (String form : List.of("~q:1", "~x:1", "~4711")) {
      assertThat(claims("show", form).code()).isEqualTo(2);
      assertThat(claims("show", form).err())
          .contains("'" + form + "'", "~c: and the parts", "~j: and JSON", "~d: ", "~b: ");
    }
    assertThat(claims("show", "").err()).contains("key must not be blank");
    assertThat(claims("show", "x".repeat(2_000)).out()).startsWith("~d:").contains("is absent");
    assertThat(claims("show", "x", "--scope", "a b").err()).contains("scope must be 1 to 128");
  }

  @Test
  void a_history_shows_what_happened_and_who_did_it() {
    fill();

    Result result = claims("history", "order-3/paid");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .matches(
            """
            order-3/paid in scope billing
            CHANGED                   STATE                   TOKEN ATTEMPT  OWNER
            \\S+Z  claimed      \\d{16}       1  worker-1
            \\S+Z  failed       \\d{16}       1  worker-1: card .u.1b.\\[31mdeclined.n
            """);
    assertThat(claims("history", "order-3/paid", "--json").lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("{\"scope\":\"billing\",\"key\":\"order-3/paid\""));
  }

  @Test
  void a_listing_shows_each_key_in_a_line_and_no_control_characters() {
    fill();
    try (FilledStore store = store()) {
      store.done(BILLING, "~b:1b5b324a", "x");
    }

    Result result = claims("list");

    assertThat(result.lines()).hasSize(12);
    assertThat(result.lines().get(0)).startsWith("STATE ").endsWith("KEY");
    assertThat(result.lines()).anyMatch(line -> line.matches("in doubt .*billing  order-2/paid"));
    assertThat(result.out()).contains("~b:1b5b324a").doesNotContain("\u001b");
    assertThat(claims("list", "--json").out()).doesNotContain("\u001b");
  }

  private List<String> keys(String... filters) {
    List<String> arguments = new ArrayList<>(List.of(filters));
    arguments.add("--json");
    return claims("list", arguments.toArray(String[]::new)).lines().stream()
        .map(line -> line.replaceAll(".*\"key\":\"([^\"]*)\".*", "$1"))
        .sorted()
        .toList();
  }

  @Test
  void filters_leave_some() {
    fill();
    try (FilledStore store = FilledStore.at(folder.resolve("store"), Duration.ZERO)) {
      store.done(MAIL, "order-8/paid", "ok");
    }

    assertThat(keys("--in-doubt")).containsExactly("order-2/paid");
    assertThat(keys("--state-is", "failed,RELEASED"))
        .containsExactly("order-3/paid", "order-5/paid", "order-6/paid");
    assertThat(keys("--scope", "mail", "--state-is", "claimed")).containsExactly("order-4/paid");
    assertThat(keys("--state-is", "lapsed")).containsExactly("order-1/paid");
    assertThat(keys("--state-is", "in-doubt")).containsExactly("order-2/paid");
    assertThat(keys("--state-is", "in-doubt,lapsed"))
        .containsExactly("order-1/paid", "order-2/paid");
    assertThat(keys("--key-prefix", "~c:")).containsExactly("~c:order-7,paid");
    assertThat(keys("--newer-than", "30m")).containsExactly("order-8/paid");
    assertThat(keys("--older-than", "30m", "--state-is", "done", "--key-prefix", "order"))
        .containsExactly("order-1/paid");
    assertThat(keys("--in-doubt", "--scope", "mail")).isEmpty();
  }

  @Test
  void pages_show_thousands_of_keys_once_each() {
    try (FilledStore store = FilledStore.large(folder.resolve("store"))) {
      for (int i = 0; i < 3_000; i++) {
        store.lapsed(i % 3 == 0 ? MAIL : BILLING, "order-" + i);
      }
    }
    Pattern cursor = Pattern.compile("\\{\"nextCursor\":\"(.*)\"}");
    List<String> all = new ArrayList<>();
    int pages = 0;
    String next = "0";
    while (next != null) {
      Result page =
          claims("list", "--scope", "billing", "--limit", "700", "--json", "--cursor", next);
      next = null;
      for (String line : page.lines()) {
        Matcher last = cursor.matcher(line);
        if (last.matches()) {
          next = last.group(1);
        } else {
          all.add(line.replaceAll(".*\"key\":\"([^\"]*)\".*", "$1"));
        }
      }
      pages++;
    }

    assertThat(all).hasSize(2_000).doesNotHaveDuplicates();
    assertThat(pages).isBetween(3, 4);
    assertThat(claims("list", "--all").lines()).hasSize(3_001);
    assertThat(claims("list").lines()).hasSize(52);
    assertThat(claims("list").lines().get(51)).startsWith("there may be more: --cursor ");
  }

  @Test
  void a_wrong_page_is_told() {
    fill();

    assertThat(claims("list", "--cursor", "x").err())
        .isEqualTo("onlyonce: --cursor must be one that a listing returned, was 'x'\n");
    assertThat(claims("list", "--limit", "0").code()).isEqualTo(2);
    assertThat(claims("list", "--limit", "many").err()).contains("'many' is not a whole number");
    assertThat(claims("list", "--state-is", "dun").err())
        .contains("must be claimed, lapsed, in-doubt, done, failed or released, was 'dun'");
  }

  @Test
  void stats_count_each_state() {
    fill();

    assertThat(claims("stats", "--json").out())
        .isEqualTo(
            "{\"total\":10,\"claimed\":4,\"done\":3,\"failed\":1,\"released\":2,\"inDoubt\":1}\n");
    assertThat(claims("stats").lines().get(1)).matches(" +10 +3 +4 +1 +1 +2  \\(all\\)");
    assertThat(claims("stats", "--by-scope").lines())
        .hasSize(4)
        .anyMatch(line -> line.matches(" +6 +1 +2 +1 +1 +2  billing"))
        .anyMatch(line -> line.matches(" +4 +2 +2 +0 +0 +0  mail"));
    assertThat(claims("stats", "--by-scope", "--json").lines())
        .hasSize(3)
        .last()
        .isEqualTo(claims("stats", "--json").lines().get(0));
  }

  /** A line of a listing and what asks for it have the same words, whatever the store calls it. */
  @Test
  void what_a_listing_shows_can_be_asked_for() {
    fill();

    for (String word : List.of("claimed", "lapsed", "in-doubt", "done", "failed", "released")) {
      List<String> lines = claims("list", "--state-is", word).lines();
      assertThat(lines).hasSizeGreaterThan(1);
      assertThat(lines.subList(1, lines.size()))
          .allMatch(line -> line.startsWith(word.replace('-', ' ') + " "));
    }
  }

  /** JSON had said that a result was kept where the text said that there was none. */
  @Test
  void a_result_that_is_none_and_one_that_was_not_kept_are_told_apart() {
    try (FilledStore store = store()) {
      store.done(BILLING, "some", "ok");
      for (dev.onlyonce.Result result :
          List.of(dev.onlyonce.Result.NONE, dev.onlyonce.Result.NOT_KEPT)) {
        String key = result == dev.onlyonce.Result.NONE ? "none" : "not-kept";
        Claim claim = store.claim(BILLING, Key.of(key), Duration.ofSeconds(30), Lapse.PARK);
        store.settle(new Settlement.Complete(claim, result, Duration.ofDays(7)));
      }
    }

    assertThat(claims("show", "none").out()).contains("result      none\n");
    assertThat(claims("show", "none", "--json").out()).contains(",\"result\":null}");
    assertThat(claims("show", "not-kept").out()).contains("result      not kept\n");
    assertThat(claims("show", "not-kept", "--json").out())
        .contains(",\"result\":{\"kept\":false}}");
    assertThat(claims("show", "some", "--json").out())
        .contains(",\"result\":{\"kept\":true,\"type\":\"text/plain\",\"bytes\":2}}");
  }

  @Test
  void in_doubt_is_a_state_of_its_own() {
    assertThat(claims("list", "--in-doubt", "--state-is", "failed"))
        .isEqualTo(
            new Result(
                2,
                "",
                "onlyonce: --in-doubt is --state-is in-doubt, and another --state-is is given; leave"
                    + " out one of them\n"));
  }

  @Test
  void a_file_in_the_place_of_the_directory_is_told() {
    once.write("store", "no store");

    for (String verb : List.of("list", "stats")) {
      assertThat(claims(verb))
          .isEqualTo(
              new Result(
                  2, "", "onlyonce: store is a file; name the directory that the store is in\n"));
    }
  }

  @Test
  void reading_is_possible_while_another_has_the_store_open() {
    try (FilledStore store = store().done(BILLING, "order-1/paid", "ok")) {
      assertThat(claims("show", "order-1/paid").code()).isZero();
      store.done(BILLING, "order-2/paid", "ok");
      assertThat(claims("show", "order-2/paid").code()).isZero();
    }
  }

  @Test
  void where_there_is_no_store_reading_makes_none() {
    for (String verb : List.of("list", "stats")) {
      assertThat(claims(verb))
          .isEqualTo(new Result(4, "", "onlyonce: there is no local store in store\n"));
    }
    assertThat(claims("show", "x").code()).isEqualTo(4);
    assertThat(claims("history", "x").code()).isEqualTo(4);
    assertThat(folder.resolve("store")).doesNotExist();
  }

  private Path segment() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("store"))) {
      return files.filter(it -> it.getFileName().toString().startsWith("log-")).findAny().get();
    }
  }

  private void poke(Path file, long offset, int value) throws IOException {
    try (RandomAccessFile data = new RandomAccessFile(file.toFile(), "rw")) {
      data.seek(offset);
      data.write(value);
    }
  }

  @Test
  void a_damaged_store_is_one_sentence_with_file_and_offset() throws IOException {
    fill();
    poke(segment(), 200, 0x55);

    Result result = claims("list");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err()).containsPattern("cannot be opened: log-\\S+.*damaged");
  }

  @Test
  void a_store_of_a_newer_version_is_refused() throws IOException {
    fill();
    poke(segment(), 8, 9);

    Result result = claims("show", "order-1/paid");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err()).contains("format 9");
  }
}
