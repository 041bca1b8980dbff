package dev.onlyonce.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Key;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonKeysTest {

  @Test
  void known_failure_5_and_semantics_36_a_missing_a_null_and_an_empty_key_are_no_keys() {
    JsonKeys keys = JsonKeys.at("/orderId");
    assertThat(keys.extract(delivery("{\"v\":1}"))).isEqualTo(missing("/orderId"));
    assertThat(keys.extract(delivery("{\"v\":2}"))).isEqualTo(missing("/orderId"));
    assertThat(keys.extract(delivery("{\"orderId\":null,\"v\":3}")))
        .isEqualTo(new Unkeyed(Reason.NULL, "null at /orderId"));
    assertThat(keys.extract(delivery("{\"orderId\":\"\",\"v\":4}")))
        .isEqualTo(new Unkeyed(Reason.EMPTY, "empty text at /orderId"));
    assertThat(keys.extract(delivery("{\"orderId\":\" \\t\\u2003\",\"v\":5}")))
        .isEqualTo(new Unkeyed(Reason.EMPTY, "blank text at /orderId"));
    assertThat(keys.extract(delivery("{\"orderId\":[ ]}")))
        .isEqualTo(new Unkeyed(Reason.EMPTY, "[] at /orderId"));
    assertThat(keys.extract(delivery("{\"orderId\":{ }}")))
        .isEqualTo(new Unkeyed(Reason.EMPTY, "{} at /orderId"));
  }

  @Test
  void known_failure_63_integers_above_two_to_the_53rd_keep_all_their_digits() {
    assertThat(
            Stream.of(
                    "9007199254740992",
                    "9007199254740993",
                    "50000000014435121",
                    "50000000014435122",
                    "123456789012345678901234567890123456789012345678901",
                    "123456789012345678901234567890123456789012345678902")
                .map(id -> key("{\"id\":" + id + "}", "/id")))
        .doesNotHaveDuplicates();
    assertThat(key("{\"id\":9007199254740993}", "/id").toString()).isEqualTo("~j:9007199254740993");
  }

  @Test
  void known_failure_65_a_null_or_missing_key_on_the_way_is_no_key() {
    JsonKeys keys = JsonKeys.at("/a/id");
    Extracted first = keys.extract(delivery("{\"a\":{\"id\":5}}"));
    assertThat(keys.extract(delivery("{\"a\":{\"id\":null},\"v\":1}")))
        .isEqualTo(new Unkeyed(Reason.NULL, "null at /a/id"));
    assertThat(keys.extract(delivery("{\"a\":{},\"v\":2}"))).isEqualTo(missing("/a/id"));
    assertThat(keys.extract(delivery("{\"v\":3}"))).isEqualTo(missing("/a/id"));
    assertThat(keys.extract(delivery("{\"a\":7}"))).isEqualTo(missing("/a/id"));
    assertThat(keys.extract(delivery("{\"a\":null}"))).isEqualTo(missing("/a/id"));
    assertThat(keys.extract(delivery("{\"a\":\"id\"}"))).isEqualTo(missing("/a/id"));
    assertThat(keys.extract(delivery("7"))).isEqualTo(missing("/a/id"));
    assertThat(keys.extract(delivery("{\"a\":{\"id\":5}}"))).isEqualTo(first);
  }

  @Test
  void known_failure_73_composed_and_decomposed_characters_are_two_keys() {
    assertThat(key("{\"id\":\"Caf\\u00e9\"}", "/id"))
        .isEqualTo(key("{\"id\":\"Café\"}", "/id"))
        .isNotEqualTo(key("{\"id\":\"Cafe\\u0301\"}", "/id"));
  }

  @Test
  void semantics_37_to_39_case_accents_and_trailing_blanks_tell_keys_apart() {
    assertThat(
            Stream.of("order-a", "Order-A", "ordér-a", "order-a ", " order-a")
                .map(id -> key("{\"id\":\"" + id + "\"}", "/id")))
        .doesNotHaveDuplicates();
  }

  @Test
  void text_is_the_text_key_however_it_is_escaped() {
    assertThat(key("{\"id\":\"order-4711/paid\"}", "/id"))
        .isEqualTo(key("{\"id\":\"\\u006frder-4711\\/paid\"}", "/id"))
        .isEqualTo(Key.of("order-4711/paid"));
    assertThat(key("{\"id\":\"\\ud83d\\ude00\"}", "/id")).isEqualTo(key("{\"id\":\"😀\"}", "/id"));
    assertThat(key("{\"id\":\"a\\u0000b\"}", "/id")).isEqualTo(Key.of("a\0b"));
    assertThat(key("{\"\\u0069d\":1}", "/id")).isEqualTo(key("{\"id\":1}", "/id"));
    assertThat(key("{\"\\ud83d\\ude00\":1}", "/😀")).isEqualTo(key("{\"😀\":1}", "/😀"));
  }

  @Test
  void semantics_48_numbers_are_equal_by_value_and_never_equal_text() {
    Key one = key("{\"id\":1}", "/id");
    assertThat(one.toString()).isEqualTo("~j:1");
    assertThat(Stream.of("1.0", "1e0", "10E-1", "0.1e+1", "1.000"))
        .allSatisfy(id -> assertThat(key("{\"id\":" + id + "}", "/id")).isEqualTo(one));
    assertThat(Stream.of("\"1\"", "true", "-1", "1e1", "[1]", "1.0000000000000000001"))
        .allSatisfy(id -> assertThat(key("{\"id\":" + id + "}", "/id")).isNotEqualTo(one));
    assertThat(key("{\"id\":-0.0}", "/id")).isEqualTo(key("{\"id\":0}", "/id"));
    assertThat(key("{\"id\":1e999999999}", "/id").toString()).isEqualTo("~j:1e+999999999");
    assertThat(key("{\"id\":true}", "/id")).isNotEqualTo(key("{\"id\":\"true\"}", "/id"));
  }

  @Test
  void an_array_or_an_object_is_a_key_by_its_canonical_form() {
    assertThat(key("{\"id\":{\"b\":[1, 2.0],\"a\":\"x\"}}", "/id"))
        .isEqualTo(key("{\"id\":{\"a\":\"\\u0078\",\"b\":[1e0,2]}}", "/id"))
        .isNotEqualTo(key("{\"id\":{\"a\":\"x\",\"b\":[2,1]}}", "/id"))
        .hasToString("~j:{\"a\":\"x\",\"b\":[1,2]}");
  }

  @Test
  void semantics_43_what_is_too_long_is_a_digest_and_text_stays_another_key_than_an_array() {
    String array = "[" + "1,".repeat(600) + "1]";
    Key ofArray = key("{\"id\":" + array + "}", "/id");
    Key ofText = key("{\"id\":\"" + array + "\"}", "/id");
    assertThat(List.of(ofArray, ofText)).allMatch(Key::isDigest).doesNotHaveDuplicates();
    assertThat(key("{\"id\":" + array.replace(",", " , ") + "}", "/id")).isEqualTo(ofArray);
    assertThat(key("{\"id\":" + "7".repeat(5_000) + "}", "/id").isDigest()).isTrue();
  }

  @Test
  void semantics_46_several_pointers_make_a_composite_in_their_order() {
    String document = "{\"b\":{\"c\":\"bc\"},\"x\":[1,2],\"a\":\"a\"}";
    assertThat(key(document, "/a", "/b/c")).isEqualTo(Key.of("a", "bc"));
    assertThat(key(document, "/b/c", "/a")).isEqualTo(Key.of("bc", "a"));
    assertThat(key("{\"a\":\"ab\",\"b\":{\"c\":\"c\"}}", "/a", "/b/c"))
        .isNotEqualTo(Key.of("a", "bc"));
    assertThat(key(document, "/x/1", "/a", "/x/0").toString()).isEqualTo("~c:~j:2,a,~j:1");
  }

  @Test
  void a_composite_without_one_of_its_parts_is_no_key_for_the_first_part_that_lacks() {
    JsonKeys keys = JsonKeys.at("/a", "/b", "/c");
    assertThat(keys.extract(delivery("{\"c\":null,\"a\":1,\"b\":\"\"}")))
        .isEqualTo(new Unkeyed(Reason.EMPTY, "empty text at /b"));
    assertThat(keys.extract(delivery("{\"c\":null,\"a\":1}"))).isEqualTo(missing("/b"));
    assertThat(keys.extract(delivery("{\"c\":3,\"a\":1,\"b\":2}"))).isInstanceOf(Keyed.class);
  }

  @Test
  void a_composite_that_is_too_long_is_a_digest_that_tells_its_parts_apart() {
    String long1 = "x".repeat(600);
    String long2 = "x".repeat(601);
    Key key = key("{\"a\":\"" + long1 + "\",\"b\":\"" + long2 + "\"}", "/a", "/b");
    assertThat(key.isDigest()).isTrue();
    assertThat(key("{\"a\":\"" + long2 + "\",\"b\":\"" + long1 + "\"}", "/a", "/b"))
        .isNotEqualTo(key);
    int fits = Key.MAX_BYTES - 2 - 2 - 2 - 600;
    assertThat(key("{\"a\":\"" + long1 + "\",\"b\":\"" + "y".repeat(fits) + "\"}", "/a", "/b"))
        .isEqualTo(Key.of(long1, "y".repeat(fits)));
    assertThat(
            key("{\"a\":\"" + long1 + "\",\"b\":\"" + "y".repeat(fits + 1) + "\"}", "/a", "/b")
                .isDigest())
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '!',
      value = {
        "/foo   ; [\"bar\",\"baz\"]",
        "/foo/0 ; \"bar\"",
        "/      ; 0",
        "/a~1b  ; 1",
        "/c%d   ; 2",
        "/e^f   ; 3",
        "/g|h   ; 4",
        "/i\\j  ; 5",
        "/k\"l  ; 6",
        "!/ !   ; 7",
        "/m~0n  ; 8"
      })
  void the_examples_of_rfc_6901_section_5_lead_where_it_says(String pointer, String value) {
    String document =
        """
        {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\\\j": 5,
         "k\\"l": 6, " ": 7, "m~n": 8}
        """;
    assertThat(key(document, pointer)).isEqualTo(key(value, ""));
    assertThat(key(document, "").toString())
        .startsWith("~j:{\"\":0,\" \":7,\"a/b\":1,")
        .endsWith(",\"foo\":[\"bar\",\"baz\"],\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\"m~n\":8}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a/2",
        "/a/01",
        "/a/-",
        "/a/-1",
        "/a/1e0",
        "/a/",
        "/a/x",
        "/a/99999999999",
        "/a/ 1"
      })
  void what_is_no_index_of_the_array_leads_to_nothing(String pointer) {
    assertThat(JsonKeys.at(pointer).extract(delivery("{\"a\":[10,11]}")))
        .isEqualTo(missing(pointer));
  }

  @Test
  void a_number_in_a_pointer_is_an_index_in_an_array_and_a_name_in_an_object() {
    assertThat(key("{\"a\":[10,{\"b\":[[],[1,7]]}]}", "/a/1/b/1/1")).isEqualTo(key("7", ""));
    assertThat(key("{\"a\":{\"1\":10,\"01\":11}}", "/a/01")).isEqualTo(key("11", ""));
  }

  @Test
  void a_name_that_comes_twice_where_a_pointer_leads_is_not_decided_by_chance() {
    JsonKeys keys = JsonKeys.at("/a/id", "/b");
    assertUndecodable(
        keys.extract(delivery("{\"a\":{\"id\":1,\"id\":1},\"b\":2}")),
        "not decidable: member 'id' comes twice, again at byte 14");
    assertUndecodable(
        keys.extract(delivery("{\"a\":{\"id\":1},\"b\":2,\"a\":{}}")),
        "not decidable: member 'a' comes twice, again at byte 21");
    assertUndecodable(
        keys.extract(delivery("{\"a\":{\"id\":1,\"\\u0069d\":1},\"b\":2}")),
        "not decidable: member 'id' comes twice, again at byte 14");
    assertUndecodable(
        keys.extract(delivery("{\"a\":{\"id\":{\"x\":1,\"x\":2}},\"b\":2}")),
        "not decidable: a member name comes twice in the object that ends at byte 24");
    assertThat(keys.extract(delivery("{\"a\":{\"id\":1,\"x\":1,\"x\":2},\"y\":0,\"b\":2,\"y\":0}")))
        .isEqualTo(keys.extract(delivery("{\"a\":{\"id\":1},\"b\":2}")));
  }

  @Test
  void
      semantics_41_an_unpaired_surrogate_may_stand_in_a_string_that_is_skipped_but_not_in_a_key_or_a_name() {
    JsonKeys keys = JsonKeys.at("/id");
    assertUndecodable(
        keys.extract(delivery("{\"id\":\"a\\ud83d\"}")), "text with an unpaired surrogate at /id");
    assertUndecodable(
        keys.extract(delivery("{\"id\":\"" + "a".repeat(2_000) + "\\ude00\"}")),
        "text with an unpaired surrogate at /id");
    assertUndecodable(
        keys.extract(delivery("{\"id\":[\"\\ude00\\ud83d\"]}")),
        "not Unicode: unpaired surrogate in the string at byte 8");
    assertThat(keys.extract(delivery("{\"x\":\"\\ud83d\",\"id\":\"a\"}")))
        .isEqualTo(new Keyed(Key.of("a")));
    assertUndecodable(
        keys.extract(delivery("{\"\\ud83d\":2,\"id\":\"a\"}")),
        "not JSON: unreadable at byte 9, near '\"'");
  }

  @Test
  void an_exponent_of_more_than_18_digits_is_refused_in_a_key_and_skipped_elsewhere() {
    JsonKeys keys = JsonKeys.at("/id");
    assertUndecodable(
        keys.extract(delivery("{\"id\":1e1234567890123456789}")),
        "not readable: exponent of more than 18 digits in the number at byte 7");
    assertThat(keys.extract(delivery("{\"x\":1e1234567890123456789,\"id\":\"a\"}")))
        .isEqualTo(new Keyed(Key.of("a")));
  }

  @Test
  void a_range_of_a_buffer_is_read_in_place_and_nothing_around_it() {
    byte[] buffer = "}{\"id\":\"a\"}{\"id\":\"b\"}x".getBytes(UTF_8);
    JsonKeys keys = JsonKeys.at("/id");
    assertThat(keys.extract(buffer, 1, 10)).isEqualTo(new Keyed(Key.of("a")));
    assertThat(keys.extract(buffer, 11, 10)).isEqualTo(new Keyed(Key.of("b")));
    assertUndecodable(keys.extract(buffer, 11, 11), "not JSON: unreadable at byte 11, near 'x'");
    assertThatThrownBy(() -> keys.extract(buffer, 11, 12))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void any_number_of_threads_share_one_extractor() {
    JsonKeys keys = JsonKeys.at("/id");
    assertThat(
            IntStream.range(0, 20_000)
                .parallel()
                .allMatch(
                    i ->
                        keys.extract(
                                delivery("{\"x" + i + "\":[" + i + "],\"id\":\"o-" + i + "\"}"))
                            .equals(new Keyed(Key.of("o-" + i)))))
        .isTrue();
  }

  private static Delivery delivery(String body) {
    return Delivery.of("orders", "1", body.getBytes(UTF_8));
  }

  private static Key key(String document, String... pointers) {
    Extracted extracted = JsonKeys.at(pointers).extract(delivery(document));
    assertThat(extracted).isInstanceOf(Keyed.class);
    return ((Keyed) extracted).key();
  }

  private static Unkeyed missing(String pointer) {
    return new Unkeyed(Reason.MISSING, "there is nothing at " + pointer);
  }

  private static void assertUndecodable(Extracted extracted, String detail) {
    assertThat(extracted).isEqualTo(new Unkeyed(Reason.UNDECODABLE, detail));
  }
}
