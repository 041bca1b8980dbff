package dev.onlyonce.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Fingerprint;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonFingerprintTest {

  private static final JsonFingerprint WHOLE = JsonFingerprint.whole();

  @Test
  void known_failure_7_the_order_of_members_does_not_matter_and_that_of_elements_does() {
    assertThat(of("{ \"b\":{\"y\":2,\"x\":1}, \"a\":1 }"))
        .isEqualTo(of("{\"a\":1,\"b\":{\"x\":1,\"y\":2}}"));
    assertThat(of("{\"l\":[1,2]}")).isNotEqualTo(of("{\"l\":[2,1]}"));
  }

  @Test
  void known_failure_63_integers_above_two_to_the_53rd_have_different_fingerprints() {
    assertThat(of("{\"id\":9007199254740992}")).isNotEqualTo(of("{\"id\":9007199254740993}"));
  }

  @Test
  void the_fingerprint_is_the_sha_256_of_the_canonical_form() {
    assertThat(of(" {\"b\" : [true, null, 1.50], \"a\":\"x\"} "))
        .isEqualTo(Fingerprint.sha256("{\"a\":\"x\",\"b\":[true,null,1.5]}".getBytes(UTF_8)))
        .hasToString("c74d7634b7a6cf5fbbfda7d97b3a4efb29bf757ab1cd10ae81d2f9edc6bf1bc5");
  }

  @Test
  void the_example_of_rfc_8785_section_3_2_2_differs_in_the_number_that_it_rounds() {
    String example =
        """
        {
          "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
          "literals": [null, true, false]
        }
        """;
    assertThat(canonical(example))
        .isEqualTo(
            "{\"literals\":[null,true,false],"
                + "\"numbers\":[333333333.33333329,1e+30,4.5,0.002,1e-27],"
                + "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
  }

  @Test
  void members_are_sorted_as_rfc_8785_section_3_2_3_sorts_them() {
    String example =
        """
        {
          "\\u20ac": "Euro Sign",
          "\\r": "Carriage Return",
          "\\ufb33": "Hebrew Letter Dalet With Dagesh",
          "1": "One",
          "\\ud83d\\ude00": "Emoji: Grinning Face",
          "\\u0080": "Control",
          "\\u00f6": "Latin Small Letter O With Diaeresis"
        }
        """;
    assertThat(canonical(example))
        .isEqualTo(
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
                + "\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\","
                + "\"😀\":\"Emoji: Grinning Face\","
                + "\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
  }

  @Test
  void members_are_sorted_at_all_depths_inside_arrays_and_out() {
    assertThat(
            canonical(
                "{\"z\":[{\"b\":{\"d\":1,\"c\":[{\"y\":0,\"x\":{}}]},\"a\":[]},{}],"
                    + "\"m\":{\"q\":{\"s\":0,\"r\":1},\"p\":2},\"\":{\"k\":{\"j\":3}}}"))
        .isEqualTo(
            "{\"\":{\"k\":{\"j\":3}},\"m\":{\"p\":2,\"q\":{\"r\":1,\"s\":0}},"
                + "\"z\":[{\"a\":[],\"b\":{\"c\":[{\"x\":{},\"y\":0}],\"d\":1}},{}]}");
  }

  @Test
  void a_document_in_any_spelling_has_one_fingerprint_and_a_changed_one_another() {
    RandomJson random = new RandomJson(2);
    for (int i = 0; i < 1_000; i++) {
      Map<String, Object> document = random.object();
      byte[] spelling = random.write(document);
      byte[] canonical = WHOLE.canonical(spelling);
      assertThat(WHOLE.canonical(random.write(document)))
          .as(new String(spelling, UTF_8))
          .isEqualTo(canonical);
      assertThat(WHOLE.canonical(canonical)).isEqualTo(canonical);
      byte[] changed = random.write(random.changed(document));
      assertThat(WHOLE.of(changed)).as(new String(changed, UTF_8)).isNotEqualTo(WHOLE.of(spelling));
    }
  }

  @Test
  void what_is_left_out_does_not_count_at_any_depth() {
    JsonFingerprint fingerprint = JsonFingerprint.without("/sentAt", "/meta/try", "/items/1");
    assertThat(
            canonical(
                fingerprint,
                "{\"sentAt\":[{\"a\":1}],\"id\":7,\"meta\":{\"try\":2,\"b\":1},\"items\":[1,{},3]}"))
        .isEqualTo("{\"id\":7,\"items\":[1,3],\"meta\":{\"b\":1}}")
        .isEqualTo(
            canonical(fingerprint, "{\"id\":7,\"items\":[1,3,3],\"meta\":{\"b\":1}}")
                .replace("[1,3]", "[1,3]"));
    assertThat(canonical(fingerprint, "{\"items\":[1,2],\"meta\":[1],\"sentAt\":0,\"sentAt\":1}"))
        .isEqualTo("{\"items\":[1],\"meta\":[1]}");
    assertThatThrownBy(() -> JsonFingerprint.without(""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("without '' (the whole document) nothing is left");
  }

  @Test
  void only_what_is_chosen_counts_and_what_is_not_there_is_not_null() {
    JsonFingerprint fingerprint = JsonFingerprint.only("/order/id", "/amount");
    assertThat(
            canonical(
                fingerprint, "{\"order\":{\"id\":\"o\",\"x\":1},\"amount\":{\"b\":1.0,\"a\":2}}"))
        .isEqualTo("{\"/amount\":{\"a\":2,\"b\":1},\"/order/id\":\"o\"}");
    assertThat(canonical(fingerprint, "{\"amount\":null}")).isEqualTo("{\"/amount\":null}");
    assertThat(canonical(fingerprint, "{\"order\":1}")).isEqualTo("{}");
    assertThat(fingerprint.of("{\"amount\":1}".getBytes(UTF_8)))
        .isEqualTo(
            JsonFingerprint.only("/amount", "/order/id")
                .of("{\"amount\":1,\"x\":2}".getBytes(UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":1,\"a\":1}",
        "{\"b\":[{\"a\":1,\"\\u0061\":2}]}",
        "{\"a\":1,\"b\":2,\"a\":{\"x\":3}}"
      })
  void a_member_name_that_comes_twice_is_refused_at_any_depth(String document) {
    assertThatThrownBy(() -> of(document))
        .isInstanceOf(JsonException.class)
        .hasMessageStartingWith("not decidable: a member name comes twice in the object that ends");
  }

  @Test
  void what_has_no_canonical_form_is_refused_with_the_place() {
    assertThatThrownBy(() -> of("{\"a\":[\"\\ud800\"]}"))
        .hasMessage("not Unicode: unpaired surrogate in the string at byte 7");
    assertThatThrownBy(() -> of("{\"\\ud800\":1}"))
        .isInstanceOf(JsonException.class)
        .hasMessage("not JSON: unreadable at byte 9, near '\"'");
    assertThatThrownBy(() -> of("[1e1234567890123456789]"))
        .hasMessage("not readable: exponent of more than 18 digits in the number at byte 2");
    assertThatThrownBy(() -> of("{\"a\":1"))
        .isInstanceOf(JsonException.class)
        .hasMessage("not JSON: ends too early, behind byte 6");
  }

  @Test
  void a_deep_document_whose_members_are_in_disorder_is_sorted_without_copying_it_at_each_depth() {
    int depth = Json.MAX_DEPTH - 1;
    String leaf = "x".repeat(1 << 20);
    String document = "{\"b\":".repeat(depth) + "\"" + leaf + "\"" + ",\"a\":1}".repeat(depth);
    String canonical = "{\"a\":1,\"b\":".repeat(depth) + "\"" + leaf + "\"" + "}".repeat(depth);
    assertThat(canonical(document)).isEqualTo(canonical);
  }

  private static Fingerprint of(String document) {
    return WHOLE.of(document.getBytes(UTF_8));
  }

  private static String canonical(String document) {
    return canonical(WHOLE, document);
  }

  private static String canonical(JsonFingerprint fingerprint, String document) {
    return new String(fingerprint.canonical(document.getBytes(UTF_8)), UTF_8);
  }
}
