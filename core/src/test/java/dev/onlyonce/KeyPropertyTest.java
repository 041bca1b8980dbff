package dev.onlyonce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class KeyPropertyTest {

  /** Short and made of few characters, so that ambiguities are met. */
  @Provide
  Arbitrary<List<String>> tuples() {
    return Arbitraries.strings()
        .withChars('a', 'b', ',', ':', '\\', '~', '\u0001', '\u0002', 'é')
        .ofMaxLength(4)
        .list()
        .ofMinSize(2)
        .ofMaxSize(4);
  }

  @Provide
  Arbitrary<byte[]> stored() {
    Arbitrary<Byte> byteOfAKey =
        Arbitraries.oneOf(
            Arbitraries.of((byte) 0xFF, (byte) 'c', (byte) 'b', (byte) 'j', (byte) 'd'),
            Arbitraries.of((byte) 0, (byte) 1, (byte) 2, (byte) 0x80, (byte) 0x81),
            Arbitraries.bytes());
    return byteOfAKey.array(byte[].class).ofMinSize(1).ofMaxSize(12);
  }

  /** A key of each kind, composites of composites too. */
  @Provide
  Arbitrary<Key> keys() {
    Arbitrary<String> texts =
        Arbitraries.strings().ofMinLength(1).ofMaxLength(10).filter(KeyPropertyTest::isKeyText);
    Arbitrary<Key> simple =
        Arbitraries.oneOf(
            texts.map(Key::of),
            stored().map(Key::ofBytes),
            stored().map(Key::digestOf),
            texts.map(it -> Key.json(it.getBytes(UTF_8))));
    Arbitrary<Key> composite = simple.list().ofMinSize(1).ofMaxSize(4).map(Key::composite);
    Arbitrary<Key> nested =
        Combinators.combine(composite, simple).as((a, b) -> Key.composite(List.of(a, b, a)));
    return Arbitraries.oneOf(simple, composite, nested);
  }

  private static boolean isKeyText(String text) {
    return !text.isBlank() && UTF_8.newEncoder().canEncode(text);
  }

  private static Key composite(List<String> parts) {
    String[] more = parts.subList(2, parts.size()).toArray(String[]::new);
    return Key.of(parts.get(0), parts.get(1), more);
  }

  private static boolean allEmpty(List<String> parts) {
    return parts.stream().allMatch(String::isEmpty);
  }

  @Property(tries = 4_000)
  void composites_are_equal_only_if_their_parts_are(
      @ForAll("tuples") List<String> one, @ForAll("tuples") List<String> two) {
    if (!allEmpty(one) && !allEmpty(two)) {
      assertThat(composite(one).equals(composite(two))).isEqualTo(one.equals(two));
    }
  }

  @Property
  void keys_are_equal_only_if_their_bytes_are(@ForAll("keys") Key one, @ForAll("keys") Key two) {
    assertThat(one.equals(two)).isEqualTo(Arrays.equals(one.toBytes(), two.toBytes()));
    assertThat(Key.fromStored(one.toBytes())).isEqualTo(one).hasSameHashCodeAs(one);
  }

  @Property(tries = 2_000)
  void the_text_form_of_any_key_goes_both_ways(@ForAll("keys") Key key) {
    assertThat(Key.parse(key.toString())).isEqualTo(key);
    assertThat(key.toString().codePoints()).noneMatch(Character::isISOControl);
  }

  @Property(tries = 4_000)
  void the_text_form_of_whatever_is_stored_goes_both_ways(@ForAll("stored") byte[] bytes) {
    Key key = Key.fromStored(bytes);
    assertThat(Key.parse(key.toString())).isEqualTo(key);
  }

  @Property
  void a_key_of_bytes_is_never_one_of_another_kind(
      @ForAll("stored") byte[] bytes, @ForAll("tuples") List<String> parts) {
    Key key = Key.ofBytes(bytes);
    assertThat(key).isNotEqualTo(Key.digestOf(bytes));
    assertThat(key).isNotEqualTo(Key.json(bytes));
    if (!allEmpty(parts)) {
      assertThat(key).isNotEqualTo(composite(parts));
      assertThat(Key.ofBytes(composite(parts).toBytes())).isNotEqualTo(composite(parts));
    }
  }

  @Property(tries = 2_000)
  void whatever_can_be_parsed_is_the_text_form_of_that_key_or_stands_for_it(
      @ForAll("tuples") List<String> parts) {
    String text = String.join("", parts);
    try {
      Key key = Key.parse(text);
      assertThat(Key.parse(key.toString())).isEqualTo(key);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("key");
    }
  }
}
