package dev.onlyonce.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Keys that must not be taken for one another. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface KeyRules extends StoreFixture {

  /** A scope and a key. */
  record Name(Scope scope, Key key) {}

  /**
   * Each of these must take effect once, first one at a time and then, under other scopes, in one
   * batch; each duplicate must get the result of its own.
   */
  private static void assertDistinct(Lab lab, List<Name> names) {
    Map<Name, Result> results = new LinkedHashMap<>();
    for (Name name : names) {
      Result result = Lab.text("result " + results.size());
      assertThat(results.put(name, result)).as("names of the test, all different").isNull();
      assertThat(lab.complete(lab.claim(request(lab, name)), result)).isNotNull();
    }
    results.forEach((name, result) -> lab.assertDone(lab.ask(request(lab, name)), result));
    List<ClaimRequest> all = new ArrayList<>();
    for (Name name : names) {
      Name other = new Name(Scope.of("in-one-batch/" + name.scope()), name.key());
      all.add(request(lab, other));
    }
    int limit = lab.fixture().batchLimit();
    for (int from = 0; from < all.size(); from += limit) {
      List<ClaimRequest> batch = all.subList(from, Math.min(from + limit, all.size()));
      assertThat(lab.ask(batch)).allMatch(Answer.Claimed.class::isInstance, "is claimed");
      batch.replaceAll(Lab::byAnother);
      assertThat(lab.ask(batch)).allMatch(Answer.InProgress.class::isInstance, "is in progress");
    }
  }

  private static ClaimRequest request(Lab lab, Name name) {
    return lab.request(name.scope(), name.key(), lab.endless(), Lapse.TAKE);
  }

  private static void assertDistinct(Lab lab, Key... keys) {
    assertDistinct(lab, Arrays.stream(keys).map(it -> new Name(Lab.SCOPE, it)).toList());
  }

  private static void assertDistinct(Lab lab, String... texts) {
    assertDistinct(lab, Arrays.stream(texts).map(Key::of).toArray(Key[]::new));
  }

  @Test
  @Semantics({37, 42})
  @Case(1)
  default void keys_that_differ_in_letter_case_are_different(Lab lab) {
    assertDistinct(lab, "Order-1", "order-1", "ORDER-1", "straße", "STRASSE", "İ", "i", "ı", "I");
  }

  @Test
  @Semantics({38, 42})
  default void keys_that_differ_in_accents_are_different(Lab lab) {
    assertDistinct(lab, "café", "cafe", "cafè", "Ærø", "Aero", "ß", "ss", "ﬁ", "fi", "１", "1");
  }

  @Test
  @Semantics(39)
  default void keys_that_differ_in_blanks_at_an_end_are_different(Lab lab) {
    assertDistinct(lab, "x", "x ", "x  ", " x", "x\t", "x\n", "x\u00a0", "x\u3000", "x\u0000");
  }

  @Test
  @Semantics(40)
  @Case(73)
  default void keys_that_are_composed_and_decomposed_are_different(Lab lab) {
    assertDistinct(lab, "Caf\u00e9", "Cafe\u0301", "\u1e69", "s\u0323\u0307", "s\u0307\u0323");
  }

  @Test
  @Semantics(41)
  default void keys_may_have_zeros_and_control_characters(Lab lab) {
    assertDistinct(
        lab,
        "a\u0000b",
        "a",
        "a\u0000",
        "\u0000a",
        "\u0000\u0000a",
        "a\u0001b",
        "a\u001b[31mb",
        "a\rb",
        "a\nb",
        "a\r\nb",
        "a\u007fb",
        "a\u0085b",
        "a\u2028b",
        "\ufeffa",
        "a\u200bb",
        "ab");
  }

  @Test
  @Semantics({41, 42})
  default void keys_may_be_any_bytes(Lab lab) {
    assertDistinct(
        lab,
        IntStream.range(0, 256)
            .mapToObj(i -> Key.ofBytes(new byte[] {(byte) i}))
            .toArray(Key[]::new));
  }

  @Test
  @Semantics({41, 42})
  default void keys_may_be_of_every_script(Lab lab) {
    assertDistinct(
        lab,
        "注文-4711",
        "заказ-4711",
        "ऑर्डर",
        "🧾",
        "🧾\ufe0f",
        "\ud83e\uddfe ",
        "?",
        "??",
        "\ufffd");
  }

  @Test
  @Semantics({43, 44, 45})
  default void the_longest_keys_count_to_their_last_byte(Lab lab) {
    String most = "k".repeat(Key.MAX_BYTES - 1);
    assertDistinct(lab, most, most + "a", most + "b", most + "A", most + " ", "k".repeat(255));
    String wide = "漢".repeat(Key.MAX_BYTES / 3);
    assertDistinct(lab, wide, wide + "a", wide + "b", wide.substring(1));
  }

  @Test
  @Semantics({43, 44, 45})
  default void keys_of_every_length_are_different(Lab lab) {
    assertDistinct(
        lab,
        IntStream.rangeClosed(1, 40)
            .map(i -> i <= 20 ? i : i * 25)
            .mapToObj(i -> Key.of("0".repeat(i)))
            .toArray(Key[]::new));
  }

  @Test
  @Semantics(46)
  @Case(3)
  default void composite_keys_are_different_wherever_their_parts_begin(Lab lab) {
    assertDistinct(
        lab,
        Key.of("a:b", "c"),
        Key.of("a", "b:c"),
        Key.of("ab", "c"),
        Key.of("a", "bc"),
        Key.of("", "x"),
        Key.of("x", ""),
        Key.of("x", "", ""),
        Key.of("a", "b", "c"),
        Key.of("abc"),
        Key.of("a,b,c"),
        Key.composite(List.of(Key.of("a", "b"), Key.of("c"))),
        Key.composite(List.of(Key.of("a"), Key.of("b", "c"))));
  }

  @Test
  @Semantics({43, 46, 48})
  default void keys_of_different_kinds_are_different(Lab lab) {
    byte[] one = "1".getBytes(UTF_8);
    assertDistinct(
        lab,
        Key.of("1"),
        Key.json(one),
        Key.json("1.0".getBytes(UTF_8)),
        Key.json("true".getBytes(UTF_8)),
        Key.of("true"),
        Key.digestOf(one),
        Key.of(Key.digestOf(one).toString()),
        Key.composite(List.of(Key.of("1"))),
        Key.ofBytes(Key.digestOf(one).toBytes()));
  }

  @Test
  @Semantics(47)
  @Case(9)
  default void the_same_key_in_two_scopes_is_two_keys(Lab lab) {
    Key key = Key.of("evt-1");
    List<Name> names = new ArrayList<>();
    for (String scope : List.of("billing", "Billing", "billing.", "mail", "a/b", "a.b", "a-b")) {
      names.add(new Name(Scope.of(scope), key));
    }
    assertDistinct(lab, names);
  }

  @Test
  @Semantics({46, 47})
  default void a_scope_and_a_key_are_never_run_together(Lab lab) {
    List<Name> names = new ArrayList<>();
    names.add(new Name(Scope.of("a"), Key.of("b/c")));
    names.add(new Name(Scope.of("a/b"), Key.of("c")));
    names.add(new Name(Scope.of("ab"), Key.of("/c")));
    names.add(new Name(Scope.of("a/b/c"), Key.of("a")));
    names.add(new Name(Scope.of("a"), Key.of("a/b/c")));
    assertDistinct(lab, names);
  }

  @Test
  @Semantics({43, 47})
  default void the_longest_scope_goes_with_the_longest_key(Lab lab) {
    String most = "s".repeat(100);
    Key key = Key.of("k".repeat(Key.MAX_BYTES));
    assertDistinct(
        lab, List.of(new Name(Scope.of(most + "a"), key), new Name(Scope.of(most + "b"), key)));
    Scope longest = Scope.of("S".repeat(128));
    Claim claim = lab.claim(lab.request(longest, key, lab.endless(), Lapse.TAKE));
    lab.assertUnharmed(claim);
  }

  @Test
  @Semantics({41, 47})
  default void keys_that_mean_something_to_a_server_mean_nothing(Lab lab) {
    assertDistinct(
        lab,
        "'; DROP TABLE claims; --",
        "\"",
        "\\",
        "\\'",
        "%",
        "_",
        "*",
        "?",
        "[a]",
        "{a}b",
        "{b}a",
        "{}",
        "a}b{",
        "$1",
        ":name",
        "NULL",
        "null",
        "0",
        "00",
        "0x30",
        "1e0",
        "\\0",
        "${a}",
        "a\r\nFLUSHALL\r\n",
        "<a>",
        "&amp;",
        "/",
        "..",
        "../a");
  }

  @Test
  @Semantics(45)
  default void ten_thousand_keys_are_ten_thousand_keys(Lab lab) {
    int batchLimit = lab.fixture().batchLimit();
    int granted = 0;
    for (int from = 0; from < 10_000; from += batchLimit) {
      List<ClaimRequest> batch = new ArrayList<>();
      for (int i = from; i < Math.min(from + batchLimit, 10_000); i++) {
        batch.add(lab.settlingNow(Key.of("order-" + i), Result.NONE));
      }
      assertThat(lab.ask(batch)).allMatch(Answer.Claimed.class::isInstance, "is claimed");
      batch.replaceAll(Lab::byAnother);
      assertThat(lab.ask(batch)).allMatch(Answer.Done.class::isInstance, "is done");
      granted += batch.size();
    }
    assertThat(granted).isEqualTo(10_000);
  }
}
