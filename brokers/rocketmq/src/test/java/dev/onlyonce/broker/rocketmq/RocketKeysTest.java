package dev.onlyonce.broker.rocketmq;

import static dev.onlyonce.broker.rocketmq.Cluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RocketKeysTest {

  private static Delivery delivery(@Nullable String keys, Map<String, List<byte[]>> headers) {
    byte[] recordKey = keys == null ? null : bytes(keys);
    return new Delivery("orders-a-0", "17", recordKey, null, null, headers, bytes("body"));
  }

  @Test
  void the_keys_of_a_message_are_one_key() {
    assertThat(RocketKeys.messageKeys().extract(delivery("order-1 paid", Map.of())))
        .isEqualTo(new Keyed(Key.of("order-1 paid")));
  }

  @Test
  void a_message_without_keys_says_where_it_is() {
    assertThat(RocketKeys.messageKeys().extract(delivery(null, Map.of())))
        .isEqualTo(new Unkeyed(Reason.MISSING, "orders-a-0 at offset 17: keys are missing"));
    assertThat(RocketKeys.messageKeys().extract(delivery(" ", Map.of())))
        .isEqualTo(new Unkeyed(Reason.EMPTY, "orders-a-0 at offset 17: keys are blank"));
  }

  @Test
  void a_header_can_be_the_key() {
    Map<String, List<byte[]>> headers = Map.of("payment", List.of(bytes("p1")));
    assertThat(RocketKeys.header("payment").extract(delivery(null, headers)))
        .isEqualTo(new Keyed(Key.of("p1")));
    assertThat(RocketKeys.header("order").extract(delivery(null, headers)))
        .isEqualTo(new Unkeyed(Reason.MISSING, "orders-a-0 at offset 17: header order is missing"));
  }
}
