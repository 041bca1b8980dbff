package dev.onlyonce.store.tiered.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class FastTierTest {

  private static final List<RecordId> KEY = List.of(new RecordId(Scope.of("orders"), Key.of("a")));

  private final ManualTime time = new ManualTime();
  private final ScriptedStore store = new ScriptedStore();
  private final AtomicInteger openings = new AtomicInteger();
  private final FastTier tier =
      new FastTier(
          () -> {
            openings.incrementAndGet();
            return Tier.of(store);
          },
          "0123456789abcdef",
          Duration.ofMillis(250),
          time,
          new Meter());

  private void find(long millis) {
    store.beforeFind = ids -> time.advance(Duration.ofMillis(millis));
    tier.find(KEY);
  }

  @Test
  @Semantics(69)
  void a_store_that_is_slow_three_times_in_a_row_is_left_alone_until_a_probe() {
    tier.open();
    find(250);
    find(250);
    find(249);
    find(250);
    find(250);
    assertThat(tier.trouble()).as("two in a row").isNull();
    find(250);
    assertThat(tier.trouble()).contains("slow");
    AtomicInteger asked = new AtomicInteger();
    store.beforeFind = ids -> asked.incrementAndGet();
    assertThat(tier.find(KEY)).isEmpty();
    assertThat(asked).hasValue(0);
    tier.probe();
    assertThat(tier.trouble()).isNull();
    assertThat(tier.find(KEY)).hasSize(1);
    assertThat(asked).as("the probe and the look-up").hasValue(2);
    assertThat(openings).hasValue(1);
  }

  /** Such as one that may be read and not written: every probe finds that it answers. */
  @Test
  void a_store_that_answers_probes_and_refuses_calls_is_warned_of_once_a_minute() {
    List<String> warnings = new ArrayList<>();
    Logger log = Logger.getLogger(FastTier.class.getName());
    Handler handler = warningsInto(warnings);
    log.addHandler(handler);
    try {
      for (int seconds = 0; seconds <= 60; seconds++) {
        store.beforeFind = ids -> {};
        tier.probe();
        store.beforeFind = ids -> refuse();
        tier.find(KEY);
        time.advance(Duration.ofSeconds(1));
      }
    } finally {
      log.removeHandler(handler);
    }
    assertThat(warnings).hasSize(2).allMatch(it -> it.endsWith("it may not be asked"));
  }

  private static void refuse() {
    throw new StoreException(StoreException.Kind.REJECTED, "it may not be asked");
  }

  private static Handler warningsInto(List<String> warnings) {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        if (record.getLevel().equals(Level.WARNING)) {
          warnings.add(record.getMessage());
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  void a_store_that_was_closed_is_not_opened_again_by_a_late_probe() {
    tier.open();
    tier.close();
    tier.probe();
    assertThat(openings).hasValue(1);
    assertThat(tier.trouble()).contains("closed");
  }
}
