package dev.onlyonce.store.tiered.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.store.tiered.TieredStatistics.HotKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class HotKeysTest {

  private static RecordId id(String key) {
    return new RecordId(Scope.of("orders"), Key.of(key));
  }

  @Test
  void the_hottest_keys_are_found_among_many_and_their_counts_are_between_the_bounds() {
    HotKeys hot = new HotKeys();
    for (int i = 0; i < 20_000; i++) {
      hot.add(id("cold-" + i));
      if (i % 4 == 0) {
        hot.add(id("hot"));
      }
      if (i % 10 == 0) {
        hot.add(id("warm"));
      }
    }
    List<HotKey> top = hot.top();
    assertThat(top.get(0).key()).isEqualTo(Key.of("hot"));
    assertThat(top.get(1).key()).isEqualTo(Key.of("warm"));
    assertThat(5_000L * HotKeys.SAMPLE).isBetween(top.get(0).atLeast(), top.get(0).atMost());
    assertThat(2_000L * HotKeys.SAMPLE).isBetween(top.get(1).atLeast(), top.get(1).atMost());
    hot.age();
    assertThat(hot.top().get(0).atMost()).isLessThanOrEqualTo(top.get(0).atMost() / 2 + 16);
  }

  @Test
  void keys_that_come_once_are_not_hot() {
    HotKeys hot = new HotKeys();
    for (int i = 0; i < 10_000; i++) {
      hot.add(id("cold-" + i));
    }
    assertThat(hot.top()).isEmpty();
  }
}
