package dev.onlyonce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FingerprintTest {

  @Test
  void the_sha256_is_that_of_the_standard() {
    assertThat(Fingerprint.sha256("abc".getBytes(UTF_8)))
        .hasToString("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assertThat(Fingerprint.sha256(new byte[0]))
        .hasToString("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  }

  @Test
  void a_fingerprint_is_its_bytes_and_nobody_can_change_them() {
    byte[] bytes = {1, 2, 3};
    Fingerprint fingerprint = Fingerprint.ofBytes(bytes);
    bytes[0] = 9;
    fingerprint.toBytes()[1] = 9;
    assertThat(fingerprint.toBytes()).containsExactly(1, 2, 3);
    assertThat(fingerprint)
        .isEqualTo(Fingerprint.ofBytes(new byte[] {1, 2, 3}))
        .hasSameHashCodeAs(Fingerprint.ofBytes(new byte[] {1, 2, 3}))
        .isNotEqualTo(Fingerprint.ofBytes(new byte[] {1, 2}))
        .isNotEqualTo("010203")
        .hasToString("010203");
  }

  @Test
  void a_fingerprint_has_1_to_32_bytes() {
    assertThat(Fingerprint.ofBytes(new byte[32]).toBytes()).hasSize(Fingerprint.MAX_BYTES);
    for (int length : new int[] {0, 33, 1_000}) {
      assertThatThrownBy(() -> Fingerprint.ofBytes(new byte[length]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "fingerprint must be 1 to 32 bytes, was " + length + ": use Fingerprint.sha256");
    }
  }
}
