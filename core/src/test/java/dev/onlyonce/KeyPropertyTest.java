package dev.onlyonce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What holds for any key. Each try has a seed of its own, which a failure names. */
class KeyPropertyTest {

  private static final int TRIES = 4_000;

  private static void forAny(Consumer<Some> property) {
    for (int seed = 0; seed < TRIES; seed++) {
      try {
        property.accept(new Some(new Random(seed)));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("with seed " + seed, e);
      }
    }
  }

  @Test
  void composites_are_equal_only_if_their_parts_are() {
    forAny(
        some -> {
          List<String> one = some.tuple();
          List<String> two = some.tuple();
          assertThat(composite(one).equals(composite(two))).isEqualTo(one.equals(two));
        });
  }

  @Test
  void keys_are_equal_only_if_their_bytes_are() {
    forAny(
        some -> {
          Key one = some.key();
          Key two = some.key();
          assertThat(one.equals(two)).isEqualTo(Arrays.equals(one.toBytes(), two.toBytes()));
          assertThat(Key.fromStored(one.toBytes())).isEqualTo(one).hasSameHashCodeAs(one);
        });
  }

  @Test
  void the_text_form_of_any_key_goes_both_ways() {
    forAny(
        some -> {
          Key key = some.key();
          assertThat(Key.parse(key.toString())).isEqualTo(key);
          assertThat(key.toString().codePoints()).noneMatch(Character::isISOControl);
        });
  }

  @Test
  void the_text_form_of_whatever_is_stored_goes_both_ways() {
    forAny(
        some -> {
          Key key = Key.fromStored(some.stored());
          assertThat(Key.parse(key.toString())).isEqualTo(key);
        });
  }

  @Test
  void a_key_of_bytes_is_never_one_of_another_kind() {
    forAny(
        some -> {
          byte[] bytes = some.stored();
          Key composite = composite(some.tuple());
          assertThat(Key.ofBytes(bytes))
              .isNotEqualTo(Key.digestOf(bytes))
              .isNotEqualTo(Key.json(bytes))
              .isNotEqualTo(composite);
          assertThat(Key.ofBytes(composite.toBytes())).isNotEqualTo(composite);
        });
  }

  @Test
  void whatever_can_be_parsed_is_the_text_form_of_that_key_or_stands_for_it() {
    forAny(
        some -> {
          String text = String.join("", some.tuple());
          try {
            Key key = Key.parse(text);
            assertThat(Key.parse(key.toString())).isEqualTo(key);
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("key");
          }
        });
  }

  private static Key composite(List<String> parts) {
    String[] more = parts.subList(2, parts.size()).toArray(String[]::new);
    return Key.of(parts.get(0), parts.get(1), more);
  }

  /** Values that a seed leads to: short and made of few characters, so that ambiguities are met. */
  private record Some(Random random) {

    private static final String CHARACTERS = "ab,:\\~\u0001\u0002é";
    private static final byte[] BYTES = {
      (byte) 0xFF, 'c', 'b', 'j', 'd', 0, 1, 2, (byte) 0x80, (byte) 0x81
    };

    /** Two to four texts, not all of them empty. */
    List<String> tuple() {
      List<String> parts = new ArrayList<>();
      int size = 2 + random.nextInt(3);
      for (int i = 0; i < size; i++) {
        StringBuilder part = new StringBuilder();
        int length = random.nextInt(5);
        for (int j = 0; j < length; j++) {
          part.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        parts.add(part.toString());
      }
      return parts.stream().allMatch(String::isEmpty) ? tuple() : parts;
    }

    /** One to twelve bytes, half of them such that mean something in a key. */
    byte[] stored() {
      byte[] bytes = new byte[1 + random.nextInt(12)];
      random.nextBytes(bytes);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = random.nextBoolean() ? BYTES[random.nextInt(BYTES.length)] : bytes[i];
      }
      return bytes;
    }

    /** A key of any kind, composites of composites too. */
    Key key() {
      return switch (random.nextInt(3)) {
        case 0 -> simple();
        case 1 -> Key.composite(List.of(simple(), simple()));
        default -> Key.composite(List.of(Key.composite(List.of(simple())), simple()));
      };
    }

    private Key simple() {
      return switch (random.nextInt(4)) {
        case 0 -> Key.of(text());
        case 1 -> Key.ofBytes(stored());
        case 2 -> Key.digestOf(stored());
        default -> Key.json(text().getBytes(UTF_8));
      };
    }

    /** Code points of all planes. */
    private String text() {
      StringBuilder text = new StringBuilder("k");
      int length = random.nextInt(10);
      while (text.length() < length) {
        int codePoint = random.nextInt(random.nextBoolean() ? 0x300 : 0x110000);
        if (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE) {
          text.appendCodePoint(codePoint);
        }
      }
      return text.toString();
    }
  }
}
