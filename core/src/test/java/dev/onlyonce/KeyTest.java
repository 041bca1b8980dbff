package dev.onlyonce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTest {

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void a_text_key_is_its_utf8_as_it_is() {
    assertThat(Key.of("order-4711/paid").toBytes()).isEqualTo("order-4711/paid".getBytes(UTF_8));
    assertThat(Key.of("Grüße 🧾").toBytes()).isEqualTo("Grüße 🧾".getBytes(UTF_8));
    assertThat(Key.of("Grüße 🧾").length()).isEqualTo(12);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n", "\u2003"})
  void a_blank_text_is_no_key_however_it_is_made(String blank) {
    assertRefused(() -> Key.of(blank), "key must not be blank, was '" + blank + "'");
    assertRefused(() -> Key.fitting(blank), "key must not be blank, was '" + blank + "'");
  }

  @Test
  void a_blank_text_is_refused_however_long_it_is() {
    String blank = " ".repeat(5_000);
    assertRefused(() -> Key.fitting(blank), "key must not be blank, was '" + blank + "'");
  }

  @Test
  void a_text_may_begin_and_end_with_blanks_and_have_control_characters() {
    assertThat(Key.of(" a ").toBytes()).isEqualTo(" a ".getBytes(UTF_8));
    assertThat(Key.of("a\u0000\n").toBytes()).isEqualTo(new byte[] {'a', 0, '\n'});
  }

  @ParameterizedTest
  @CsvSource({
    "a\\ud800, 1",
    "\\udc00, 0",
    "\\ud800\\ud800, 0",
    "ab\\ud800c, 2",
    "\\ud83e\\uddfe\\udc00, 2"
  })
  void an_unpaired_surrogate_has_no_utf8_and_is_refused_with_its_place(String escaped, int index) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < escaped.length(); i++) {
      boolean escape = escaped.charAt(i) == '\\';
      text.append(
          escape
              ? (char) Integer.parseInt(escaped.substring(i + 2, i + 6), 16)
              : escaped.charAt(i));
      i += escape ? 5 : 0;
    }
    String message = "key must be Unicode text, has an unpaired surrogate at index " + index;
    assertRefused(() -> Key.of(text.toString()), message);
    assertRefused(() -> Key.of("part", text.toString()), message);
    assertRefused(() -> Key.fitting(text.toString()), message);
  }

  @Test
  void a_key_has_up_to_1024_bytes_and_more_are_refused_in_every_language() {
    assertThat(Key.of("k".repeat(1_024)).length()).isEqualTo(Key.MAX_BYTES);
    assertThat(Key.ofBytes(new byte[1_024]).length()).isEqualTo(Key.MAX_BYTES);
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    try {
      Locale.setDefault(Locale.Category.FORMAT, Locale.GERMANY);
      String message =
          "key must be 1 to 1,024 bytes, was 1,025: use Key.digestOf for longer material";
      assertRefused(() -> Key.of("k".repeat(1_025)), message);
      assertRefused(() -> Key.of("é".repeat(512) + "k"), message);
      assertRefused(() -> Key.ofBytes(new byte[1_025]), message);
      assertRefused(() -> Key.fromStored(new byte[1_025]), message);
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
    }
    assertRefused(() -> Key.ofBytes(new byte[0]), "key must be 1 to 1,024 bytes, was empty");
    assertRefused(() -> Key.fromStored(new byte[0]), "key must be 1 to 1,024 bytes, was empty");
  }

  @Test
  void a_text_that_fits_is_itself_and_a_longer_one_is_its_digest() {
    assertThat(Key.fitting("short")).isEqualTo(Key.of("short"));
    String most = "k".repeat(1_024);
    assertThat(Key.fitting(most)).isEqualTo(Key.of(most));
    assertThat(Key.fitting(most).isDigest()).isFalse();
    assertThat(Key.fitting(most + "k")).isEqualTo(Key.digestOf((most + "k").getBytes(UTF_8)));
    assertThat(Key.fitting(most + "k").isDigest()).isTrue();
    String wide = "漢".repeat(341);
    assertThat(Key.fitting(wide)).isEqualTo(Key.of(wide));
    assertThat(Key.fitting(wide + "漢").isDigest()).isTrue();
  }

  /** Known failure 3: a composite key that is joined ambiguously. */
  @Test
  void case_3_six_tuples_are_six_keys() {
    List<Key> keys =
        List.of(
            Key.of("a:b", "c"),
            Key.of("a", "b:c"),
            Key.of("ab", "c"),
            Key.of("a", "bc"),
            Key.of("", "x"),
            Key.of("x", ""));
    assertThat(new HashSet<>(keys)).hasSize(6);
  }

  @Test
  void a_composite_has_the_length_of_each_part_before_it() {
    assertThat(Key.of("a", "bc").toBytes()).isEqualTo(hex("ff63" + "0161" + "026263"));
    assertThat(Key.of("", "x", "").toBytes()).isEqualTo(hex("ff63" + "00" + "0178" + "00"));
    byte[] bytes = Key.of("a".repeat(127), "b".repeat(128)).toBytes();
    assertThat(bytes[2]).isEqualTo((byte) 127);
    assertThat(bytes[130]).isEqualTo((byte) 0x80);
    assertThat(bytes[131]).isEqualTo((byte) 1);
    assertThat(bytes).hasSize(2 + 1 + 127 + 2 + 128);
  }

  @Test
  void a_composite_of_texts_is_the_composite_of_their_keys() {
    assertThat(Key.composite(List.of(Key.of("a"), Key.of("b"), Key.of("c"))))
        .isEqualTo(Key.of("a", "b", "c"));
    assertThat(Key.composite(List.of(Key.of("a")))).isNotEqualTo(Key.of("a"));
    assertThat(Key.composite(List.of(Key.of("a", "b"), Key.of("c"))))
        .isNotEqualTo(Key.of("a", "b", "c"));
  }

  @Test
  void a_composite_needs_a_part_that_is_not_empty() {
    String message = "composite key must have a part that is not empty";
    assertRefused(() -> Key.of("", ""), message);
    assertRefused(() -> Key.of("", "", "", ""), message);
    assertRefused(() -> Key.composite(List.of()), message);
    assertRefused(() -> Key.fitting(List.of()), message);
  }

  @Test
  void a_composite_that_is_too_long_is_refused_or_becomes_a_digest() {
    List<Key> parts = List.of(Key.of("a".repeat(1_000)), Key.of("b".repeat(19)));
    assertThat(Key.composite(parts).length()).isEqualTo(1_024);
    assertThat(Key.fitting(parts)).isEqualTo(Key.composite(parts));
    List<Key> more = List.of(Key.of("a".repeat(1_000)), Key.of("b".repeat(20)));
    assertRefused(
        () -> Key.composite(more),
        "key must be 1 to 1,024 bytes, was 1,025: use Key.digestOf for longer material");
    assertThat(Key.fitting(more).isDigest()).isTrue();
    assertThat(Key.fitting(more))
        .isNotEqualTo(Key.fitting(List.of(Key.of("a".repeat(1_000) + "b".repeat(20)))));
  }

  @Test
  void bytes_that_are_the_utf8_of_a_text_are_the_same_key() {
    assertThat(Key.ofBytes("order".getBytes(UTF_8))).isEqualTo(Key.of("order"));
  }

  @Test
  void bytes_that_begin_with_the_tag_are_set_apart() {
    Key composite = Key.of("a", "b");
    assertThat(Key.ofBytes(composite.toBytes())).isNotEqualTo(composite);
    assertThat(Key.ofBytes(composite.toBytes()).toBytes()).isEqualTo(hex("ff62ff6301610162"));
    assertThat(Key.ofBytes(hex("ff")).toBytes()).isEqualTo(hex("ff62ff"));
    assertThat(Key.fromStored(composite.toBytes())).isEqualTo(composite);
  }

  @Test
  void a_digest_is_the_sha256_of_the_material_and_tagged() {
    Key digest = Key.digestOf("abc".getBytes(UTF_8));
    String sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assertThat(digest.toBytes()).isEqualTo(hex("ff64" + sha256));
    assertThat(digest.isDigest()).isTrue();
    assertThat(digest.toString()).isEqualTo("~d:" + sha256);
    assertThat(Key.digestOf("-abc-".getBytes(UTF_8), 1, 3)).isEqualTo(digest);
    assertThat(Key.of("abc").isDigest()).isFalse();
    assertThat(Key.ofBytes(digest.toBytes()).isDigest()).isFalse();
    assertThat(Key.fromStored(hex("ff64" + "00".repeat(31))).isDigest()).isFalse();
    assertThat(Key.fromStored(hex("ff63" + "00".repeat(32))).isDigest()).isFalse();
    assertThat(Key.fromStored(hex("fe64" + "00".repeat(32))).isDigest()).isFalse();
  }

  @Test
  void a_json_value_is_another_key_than_the_text_of_it() {
    Key number = Key.json("1".getBytes(UTF_8));
    assertThat(number).isNotEqualTo(Key.of("1"));
    assertThat(number.toBytes()).isEqualTo(hex("ff6a31"));
    byte[] most = "9".repeat(1_022).getBytes(UTF_8);
    assertThat(Key.json(most).length()).isEqualTo(1_024);
    byte[] more = "9".repeat(1_023).getBytes(UTF_8);
    assertThat(Key.json(more).isDigest()).isTrue();
    assertThat(Key.json(more)).isNotEqualTo(Key.fitting("9".repeat(1_023)));
  }

  @Test
  void nothing_is_folded() {
    assertThat(Key.of("Order-1")).isNotEqualTo(Key.of("order-1"));
    assertThat(Key.of("Caf\u00e9")).isNotEqualTo(Key.of("Cafe\u0301"));
    assertThat(Key.of("x")).isNotEqualTo(Key.of("x "));
  }

  @Test
  void a_key_is_what_its_bytes_are_and_nobody_can_change_them() {
    byte[] bytes = {1, 2, 3};
    Key key = Key.ofBytes(bytes);
    bytes[0] = 9;
    key.toBytes()[1] = 9;
    assertThat(key.toBytes()).containsExactly(1, 2, 3);
    byte[] stored = {1, 2, 3};
    Key again = Key.fromStored(stored);
    stored[0] = 9;
    assertThat(again).isEqualTo(key).hasSameHashCodeAs(key);
    assertThat(key).isNotEqualTo(Key.ofBytes(new byte[] {1, 2, 4})).isNotEqualTo("\1\2\3");
  }

  @Test
  void the_bytes_can_be_copied_into_the_middle_of_others() {
    byte[] target = new byte[6];
    assertThat(Key.of("abc").copyTo(target, 2)).isEqualTo(5);
    assertThat(target).containsExactly(0, 0, 'a', 'b', 'c', 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "6f72646572 | order",
        "c3a9 | é",
        "7e61 | ~b:7e61",
        "610a | ~b:610a",
        "20 | ~b:20",
        "e28080 | ~b:e28080",
        "80 | ~b:80",
        "ff62ff01 | ~b:ff01",
        "ff6a31 | ~j:1",
        "ff6a7b2261223a317d | ~j:{\"a\":1}",
        "ff6301610162 | ~c:a,b",
        "ff63000178 | ~c:,x",
        "ff63017800 | ~c:x,",
        "ff6303612c62015c | ~c:a\\,b,\\\\",
        "ff63017e0161 | ~c:~b:7e,a",
        "ff6306ff63016101620163 | ~c:~c:a\\,b,c",
        "ff6302ff01 | ~c:~x:ff01",
        "ff | ~x:ff",
        "ff62 | ~x:ff62",
        "ff6261 | ~x:ff6261",
        "ff6a | ~x:ff6a",
        "ff6a80 | ~x:ff6a80",
        "ff7a01 | ~x:ff7a01",
        "ff630561 | ~x:ff630561",
        "ff6380 | ~x:ff6380",
        "ff63 | ~x:ff63",
        "ff6300 | ~x:ff6300",
        "ff63810061 | ~x:ff63810061",
        "ff64aa | ~d:aa"
      })
  void the_text_form_of_each_kind_goes_both_ways(String bytes, String text) {
    Key key = Key.fromStored(hex(bytes));
    assertThat(key.toString()).isEqualTo(text);
    assertThat(Key.parse(text)).isEqualTo(key);
  }

  @Test
  void a_text_form_that_is_none_is_refused_with_a_remedy() {
    assertRefused(
        () -> Key.parse("~order"),
        "not the text form of a key: '~order'; the forms are ~c: and the parts with commas between"
            + " them, ~j: and JSON, ~d: and the hexadecimal digits of a SHA-256, ~b: and those of"
            + " other bytes, also of a text that starts with ~");
    for (String text : List.of("~", "~b", "~q:61", "~b61", "~~")) {
      assertThatThrownBy(() -> Key.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("not the text form of a key: '" + text + "'");
    }
    for (String text : List.of("~b:6", "~d:zz", "~x:0g", "~x:1")) {
      assertThatThrownBy(() -> Key.parse(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "not the text form of a key: '"
                  + text
                  + "' must have pairs of hexadecimal digits;"
                  + " the forms are ~c: and the parts");
    }
    assertRefused(() -> Key.parse(""), "key must not be blank, was ''");
    assertRefused(() -> Key.parse("~b:"), "key must be 1 to 1,024 bytes, was empty");
    assertRefused(() -> Key.parse("~c:,"), "composite key must have a part that is not empty");
  }

  @Test
  void the_text_form_is_on_one_line_and_shows_no_invisible_character() {
    List<String> texts = new ArrayList<>();
    for (String odd :
        List.of(
            "\n", "\r", "\u0000", "\u001b", "\u007f", "\u0085", "\u2028", "\u200b", "\u202e",
            "\ufeff", "\ue000")) {
      texts.add(Key.of("a" + odd + "b").toString());
      texts.add(Key.of("a" + odd + "b", "c").toString());
      texts.add(Key.json(("\"" + odd + "\"").getBytes(UTF_8)).toString());
    }
    assertThat(texts).allMatch(it -> it.matches("[ -~]+"), "is printable");
  }
}
