package dev.onlyonce.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MalformedJsonTest {

  private static final JsonKeys KEYS = JsonKeys.at("/id");

  private static final String DOCUMENT =
      """
      {"id":"o-1","n":[-1.5e+3,0,true,false,null,{"é":"\\ud83d\\ude00\\n€😀"}],"e":{},"a":[[]]}""";

  @Test
  void a_document_that_is_cut_anywhere_is_undecodable() {
    byte[] whole = DOCUMENT.getBytes(UTF_8);
    assertThat(KEYS.extract(whole, 0, whole.length)).isInstanceOf(Keyed.class);
    for (int length = 0; length < whole.length; length++) {
      assertUndecodable(Arrays.copyOf(whole, length));
      assertUndecodable(Arrays.copyOfRange(whole, whole.length - length, whole.length));
    }
  }

  @Test
  void a_document_with_any_byte_changed_is_read_or_undecodable_and_nothing_else_happens() {
    byte[] whole = DOCUMENT.getBytes(UTF_8);
    JsonKeys top = JsonKeys.at("");
    for (int at = 0; at < whole.length; at++) {
      for (int value = 0; value < 256; value++) {
        byte[] changed = whole.clone();
        changed[at] = (byte) value;
        assertThat(KEYS.extract(changed, 0, changed.length)).isNotNull();
        assertThat(top.extract(changed, 0, changed.length)).isNotNull();
      }
    }
  }

  @Test
  void bytes_that_are_shuffled_are_read_or_undecodable_and_nothing_else_happens() {
    Random random = new Random(3);
    RandomJson json = new RandomJson(3);
    JsonKeys keys = JsonKeys.at("/a", "/0/1");
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = json.write(json.object());
      for (int j = 0; j < 3; j++) {
        int from = random.nextInt(bytes.length);
        int to = random.nextInt(bytes.length);
        int length = random.nextInt(Math.min(8, bytes.length - Math.max(from, to)) + 1);
        System.arraycopy(bytes, from, bytes, to, length);
      }
      assertThat(keys.extract(bytes, 0, bytes.length)).isNotNull();
      try {
        assertThat(JsonFingerprint.whole().of(bytes)).isNotNull();
      } catch (JsonException e) {
        assertThat(e.getMessage()).startsWith("not ");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '!',
      value = {
        "{\"id\":1}}          | not JSON: unreadable at byte 9, near '}'",
        "{\"id\":1,}          | not JSON: unreadable at byte 9, near '}'",
        "{\"id\":1 \"a\":2}   | not JSON: unreadable at byte 9, near '\"'",
        "{\"id\":1]           | not JSON: unreadable at byte 8, near ']'",
        "{id:1}               | not JSON: unreadable at byte 2, near 'i'",
        "{'id':1}             | not JSON: unreadable at byte 2, near '''",
        "{\"id\":tru}         | not JSON: unreadable at byte 7, near 't'",
        "{\"id\":01}          | not JSON: unreadable at byte 8, near '1'",
        "{\"id\":1.}          | not JSON: unreadable at byte 9, near '}'",
        "{\"id\":\"\\x\"}     | not JSON: unreadable at byte 9, near 'x'",
        "{\"id\":1,\"a\":[1,,2]} | not JSON: unreadable at byte 16, near ','",
        "{\"id\":1} {\"id\":2} | not one JSON value: another one starts at byte 10",
        "{\"id\":1            | not JSON: ends too early, behind byte 7",
        "!!                   | not JSON: the document is empty",
        "! !                  | not JSON: the document is empty",
      })
  void the_sentence_names_the_place(String document, String detail) {
    byte[] bytes = document.getBytes(UTF_8);
    assertThat(KEYS.extract(bytes, 0, bytes.length))
        .isEqualTo(new Unkeyed(Reason.UNDECODABLE, detail));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",\"a\":NaN}",
        ",\"a\":Infinity}",
        ",\"a\":+1}",
        ",\"a\":.5}",
        ",\"a\":-}",
        ",\"a\":1e}",
        ",\"a\":0x10}",
        ",\"a\":'x'}",
        ",\"a\":\"x\ty\"}",
        ",\"a\":\"\0\"}",
        ",\"a\":\"\\u12G4\"}",
        ",\"a\":\"\\u12\"}",
        ",\"a\":TRUE}",
        ",\"a\":nulll}",
        ",\"a\"}",
        ",\"a\":}",
        ",:1}",
        ",1:1}",
        ", /* */ \"a\":1}",
        "} // end",
        "}\u00a0",
        "}\0",
        "}}",
        "},",
        "} 7",
        "} null",
        ",\"a\":[1}",
        ",\"a\":[1,]}",
        ",\"a\":{\"b\"}}",
        ",\"a\":1",
        ",\"a\":\"\"\"}",
        "\u000b}"
      })
  void damage_behind_the_key_is_found(String rest) {
    assertUndecodable(("{\"id\":\"o-1\"" + rest).getBytes(UTF_8));
  }

  static Stream<byte[]> notUtf8() {
    return Stream.of(
            "80",
            "bf",
            "c0 80",
            "c1 bf",
            "c2",
            "c2 20",
            "e0 80 80",
            "e0 9f bf",
            "e2 82",
            "e2 28 a1",
            "ed a0 80",
            "ed bf bf",
            "f0 80 80 80",
            "f0 8f bf bf",
            "f0 9f 98",
            "f4 90 80 80",
            "f5 80 80 80",
            "f8 88 80 80 80",
            "fe",
            "ff",
            "c3 a9 e9")
        .map(hex -> HexFormat.ofDelimiter(" ").parseHex(hex));
  }

  @ParameterizedTest
  @MethodSource("notUtf8")
  void what_is_no_utf_8_is_undecodable_in_a_key_in_a_name_and_in_what_is_skipped(byte[] invalid) {
    String invalidChars = new String(invalid, ISO_8859_1);
    for (String before : new String[] {"", "x", "123456789", "é€"}) {
      for (String template :
          new String[] {
            "{'id':'#'}", "{'#':1,'id':2}", "{'id':2,'x':'#'}", "{'id':2,'x':'#", "#{'id':2}"
          }) {
        String document =
            template
                .replace('\'', '"')
                .replace("#", new String(before.getBytes(UTF_8), ISO_8859_1) + invalidChars);
        assertUndecodable(document.getBytes(ISO_8859_1));
      }
    }
  }

  @Test
  void utf_8_is_judged_as_the_platform_judges_it() {
    Random random = new Random(4);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(24)];
      for (int j = 0; j < bytes.length; j++) {
        bytes[j] = (byte) (random.nextInt(3) == 0 ? random.nextInt(128) : random.nextInt(256));
      }
      int offset = random.nextInt(bytes.length + 1);
      int length = random.nextInt(bytes.length - offset + 1);
      int invalid = Utf8.firstInvalid(bytes, offset, length);
      assertThat(invalid < 0).isEqualTo(isUtf8(bytes, offset, length));
      if (invalid >= 0) {
        assertThat(isUtf8(bytes, offset, invalid - offset)).isTrue();
      }
    }
    String everyCharacter =
        IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
            .filter(point -> point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE)
            .mapToObj(Character::toString)
            .collect(Collectors.joining());
    byte[] bytes = everyCharacter.getBytes(UTF_8);
    assertThat(Utf8.firstInvalid(bytes, 0, bytes.length)).isEqualTo(-1);
  }

  @Test
  void other_encodings_than_utf_8_are_not_guessed_at() {
    for (Charset charset :
        new Charset[] {
          UTF_16BE, UTF_16LE, Charset.forName("UTF-32BE"), Charset.forName("UTF-32LE")
        }) {
      assertUndecodable("{\"id\":1}".getBytes(charset));
      assertUndecodable("\ufeff{\"id\":1}".getBytes(charset));
      assertUndecodable("1".getBytes(charset));
    }
    byte[] marked = "\ufeff{\"id\":\"a\"}".getBytes(UTF_8);
    assertThat(KEYS.extract(marked, 0, marked.length)).isInstanceOf(Keyed.class);
    assertThat(KEYS.extract(marked, 0, marked.length - 1))
        .isEqualTo(new Unkeyed(Reason.UNDECODABLE, "not JSON: ends too early, behind byte 12"));
    assertUndecodable("\ufeff\ufeff{\"id\":\"a\"}".getBytes(UTF_8));
    assertUndecodable("\ufeff".getBytes(UTF_8));
  }

  @Test
  void nesting_has_a_limit_in_what_is_skipped_and_in_the_key() {
    int most = Json.MAX_DEPTH - 1;
    for (String pointer : new String[] {"/id", "/a", ""}) {
      JsonKeys keys = JsonKeys.at(pointer);
      assertThat(keys.extract(nested(most), 0, nested(most).length)).isInstanceOf(Keyed.class);
      for (int depth : new int[] {most + 1, 100_000}) {
        assertThat(keys.extract(nested(depth), 0, nested(depth).length))
            .isEqualTo(
                new Unkeyed(Reason.UNDECODABLE, "not readable: nested deeper than 500 levels"));
      }
    }
    assertThatThrownBy(() -> JsonFingerprint.whole().of(nested(100_000)))
        .isInstanceOf(JsonException.class);
  }

  private static byte[] nested(int depth) {
    return ("{\"id\":1,\"a\":" + "[".repeat(depth) + "]".repeat(depth) + "}").getBytes(UTF_8);
  }

  private static boolean isUtf8(byte[] bytes, int offset, int length) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, offset, length));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static void assertUndecodable(byte[] document) {
    Extracted extracted = KEYS.extract(document, 0, document.length);
    assertThat(extracted).as(new String(document, UTF_8)).isInstanceOf(Unkeyed.class);
    assertThat(((Unkeyed) extracted).reason()).isEqualTo(Reason.UNDECODABLE);
  }
}
