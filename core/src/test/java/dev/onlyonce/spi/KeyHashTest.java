package dev.onlyonce.spi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.KeyHash.Hash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyHashTest {

  /** The key of the reference implementation's test vectors: 00, 01, ... 0f. */
  private static final KeyHash REFERENCE = new KeyHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

  private static byte[] bytes(Hash hash) {
    return ByteBuffer.allocate(16)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(hash.first())
        .putLong(hash.second())
        .array();
  }

  /** 00, 01, 02, ... */
  private static byte[] counting(int length) {
    byte[] input = new byte[length];
    for (int i = 0; i < length; i++) {
      input[i] = (byte) i;
    }
    return input;
  }

  /** Of vectors_sip128 in the reference implementation, which is in the public domain. */
  @ParameterizedTest
  @CsvSource({
    "0, a3817f04ba25a8e66df67214c7550293",
    "1, da87c1d86b99af44347659119b22fc45",
    "2, 8177228da4a45dc7fca38bdef60affe4",
    "7, a1f1ebbed8dbc153c0b84aa61ff08239",
    "8, 3b62a9ba6258f5610f83e264f31497b4",
    "9, 264499060ad9baabc47f8b02bb6d71ed",
    "15, 5493e99933b0a8117e08ec0f97cfc3d9",
    "16, 6ee2a4ca67b054bbfd3315bf85230577",
    "63, 5150d1772f50834a503e069a973fbd7c"
  })
  void the_hash_is_siphash_2_4_with_128_bits(int length, String expected) {
    Hash hash = REFERENCE.of(counting(length), 0, length);
    assertThat(HexFormat.of().formatHex(bytes(hash))).isEqualTo(expected);
  }

  @Test
  void all_64_reference_vectors_are_met() throws Exception {
    MessageDigest all = MessageDigest.getInstance("SHA-256");
    for (int length = 0; length < 64; length++) {
      all.update(bytes(REFERENCE.of(counting(length), 0, length)));
    }
    assertThat(HexFormat.of().formatHex(all.digest()))
        .isEqualTo("ecfaa9fe47ff788fa834a9863ea2715a2880cd37d2b8c3c194402838428119b9");
  }

  @Test
  void a_range_is_hashed_as_if_it_stood_alone() {
    byte[] input = counting(100);
    for (int offset = 0; offset < 20; offset++) {
      for (int length = 0; length < 40; length++) {
        byte[] alone = Arrays.copyOfRange(input, offset, offset + length);
        assertThat(REFERENCE.of(input, offset, length)).isEqualTo(REFERENCE.of(alone, 0, length));
      }
    }
  }

  @Test
  void a_key_is_hashed_as_its_bytes_are() {
    for (int length = 1; length <= 40; length++) {
      byte[] input = counting(length);
      assertThat(REFERENCE.of(Key.fromStored(input))).isEqualTo(REFERENCE.of(input, 0, length));
    }
  }

  @Test
  void the_keys_of_a_scope_are_hashed_with_the_hash_of_its_name_as_the_secret() {
    byte[] name = "billing".getBytes(UTF_8);
    Hash secret = REFERENCE.of(name, 0, name.length);
    assertThat(REFERENCE.of(Scope.of("billing"), Key.of("order-1")))
        .isEqualTo(REFERENCE.within(Scope.of("billing")).of(Key.of("order-1")))
        .isEqualTo(new KeyHash(secret.first(), secret.second()).of(Key.of("order-1")));
  }

  @Test
  void pairs_that_run_together_to_the_same_text_have_different_hashes() {
    Set<Hash> hashes = new HashSet<>();
    String text = "abcdefgh";
    for (int i = 1; i < text.length(); i++) {
      hashes.add(REFERENCE.of(Scope.of(text.substring(0, i)), Key.of(text.substring(i))));
    }
    assertThat(hashes).hasSize(text.length() - 1);
  }

  @Test
  void a_longest_scope_and_a_longest_key_have_a_hash() {
    Scope scope = Scope.of("s".repeat(128));
    Hash one = REFERENCE.of(scope, Key.of("k".repeat(1_024)));
    assertThat(one).isNotEqualTo(REFERENCE.of(scope, Key.of("k".repeat(1_023) + "l")));
  }

  @Test
  void two_hundred_thousand_similar_keys_have_as_many_hashes() {
    Scope scope = Scope.of("orders");
    Set<Hash> hashes = new HashSet<>();
    for (int i = 0; i < 200_000; i++) {
      hashes.add(REFERENCE.of(scope, Key.of("order-" + i)));
    }
    assertThat(hashes).hasSize(200_000);
    assertThat(hashes.stream().map(Hash::first).distinct()).hasSize(200_000);
    assertThat(hashes.stream().map(Hash::second).distinct()).hasSize(200_000);
  }

  @Test
  void one_bit_of_the_input_changes_half_of_the_output() {
    Random random = new Random(4711);
    long flipped = 0;
    int samples = 0;
    for (int round = 0; round < 200; round++) {
      byte[] input = new byte[1 + random.nextInt(40)];
      random.nextBytes(input);
      Hash before = REFERENCE.of(input, 0, input.length);
      int bit = random.nextInt(input.length * 8);
      input[bit / 8] ^= (byte) (1 << bit % 8);
      Hash after = REFERENCE.of(input, 0, input.length);
      int changed =
          Long.bitCount(before.first() ^ after.first())
              + Long.bitCount(before.second() ^ after.second());
      assertThat(changed).isBetween(30, 98);
      flipped += changed;
      samples++;
    }
    assertThat((double) flipped / samples).isBetween(62.0, 66.0);
  }

  @Test
  void another_secret_gives_another_hash() {
    Hash hash = REFERENCE.of(counting(20), 0, 20);
    assertThat(new KeyHash(1, 2).of(counting(20), 0, 20)).isNotEqualTo(hash);
    assertThat(new KeyHash(2, 1).of(counting(20), 0, 20))
        .isNotEqualTo(new KeyHash(1, 2).of(counting(20), 0, 20));
    assertThat(KeyHash.random().of(counting(20), 0, 20))
        .isNotEqualTo(KeyHash.random().of(counting(20), 0, 20));
  }
}
