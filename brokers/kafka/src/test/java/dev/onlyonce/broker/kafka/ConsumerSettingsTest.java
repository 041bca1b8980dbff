package dev.onlyonce.broker.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

class ConsumerSettingsTest {

  @Test
  void automatic_commits_are_refused() {
    assertThatThrownBy(() -> ConsumerSettings.of(with("enable.auto.commit", "true")))
        .hasMessageContaining("consumer: enable.auto.commit is true");
    assertThatThrownBy(() -> ConsumerSettings.of(with("enable.auto.commit", true)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(ConsumerSettings.of(with("enable.auto.commit", "false")).forConsumer())
        .containsEntry("enable.auto.commit", "false");
  }

  @Test
  void other_deserializers_are_refused() {
    assertThatThrownBy(
            () -> ConsumerSettings.of(with("value.deserializer", StringDeserializer.class)))
        .hasMessageContaining("value.deserializer must be left out");
  }

  @Test
  void a_group_is_needed() {
    assertThatThrownBy(() -> ConsumerSettings.of(Map.of("bootstrap.servers", "a:1")))
        .hasMessageContaining("consumer: group.id is not set");
  }

  @Test
  void what_was_not_chosen_is_chosen_so_that_nothing_is_skipped() {
    assertThat(ConsumerSettings.of(with("client.id", "a")).forConsumer())
        .containsEntry("auto.offset.reset", "earliest")
        .containsEntry("isolation.level", "read_committed")
        .containsEntry("allow.auto.create.topics", false)
        .containsEntry("enable.auto.commit", false);
    assertThat(ConsumerSettings.of(with("auto.offset.reset", "latest")).forConsumer())
        .containsEntry("auto.offset.reset", "latest");
  }

  @Test
  void properties_are_taken_too() {
    Properties properties = new Properties();
    properties.setProperty("bootstrap.servers", "a:1");
    properties.setProperty("group.id", "billing");
    assertThat(ConsumerSettings.of(properties).group()).isEqualTo("billing");
    assertThat(ConsumerSettings.of(properties).servers()).isEqualTo("a:1");
  }

  @Test
  void the_administrative_client_gets_what_it_knows() {
    assertThat(ConsumerSettings.of(with("security.protocol", "SSL")).forAdmin())
        .containsOnlyKeys("bootstrap.servers", "security.protocol");
  }

  private static Map<String, Object> with(String name, Object value) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", "a:1");
    settings.put("group.id", "billing");
    settings.put(name, value);
    return settings;
  }
}
