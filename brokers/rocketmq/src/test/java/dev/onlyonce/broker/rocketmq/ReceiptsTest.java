package dev.onlyonce.broker.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.spi.Publisher.Confirmed;
import dev.onlyonce.spi.Publisher.Receipt;
import dev.onlyonce.spi.Publisher.Unknown;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReceiptsTest {

  @ParameterizedTest
  @EnumSource(SendStatus.class)
  void only_one_status_confirms_a_message(SendStatus status) {
    Class<? extends Receipt> expected =
        status == SendStatus.SEND_OK ? Confirmed.class : Unknown.class;
    assertThat(Receipts.of(new SendResult(status, "id", null, null, 0))).isInstanceOf(expected);
  }
}
