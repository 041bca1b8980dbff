package dev.onlyonce.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Percentage.withPercentage;

import dev.onlyonce.testkit.Case;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScalableBloomFilterTest {

  /**
   * With 1, 2 and 6 slices; counts of false positives are 1,600 and more. (The first slice has 700
   * blocks or more: with a few dozen, how its keys fall is a matter of luck of more than 10 %.)
   */
  @ParameterizedTest
  @CsvSource({"0.01,1000000", "0.001,8000000", "0.0001,40000000"})
  void the_promise_is_kept_while_it_grows(double rate, long strangers) {
    ScalableBloomFilter filter = KeyFilter.forKeys(20_000).errorRate(rate).seed(1).scalable();
    assertThat(filter.slices()).isEqualTo(1);
    int keys = 0;
    for (int until : new int[] {20_000, 60_000, 1_000_000}) {
      for (; keys < until; keys++) {
        filter.putHash(Hashes.of(keys));
      }
      double measured = Hashes.measured(filter, strangers);
      assertThat(measured).as("with %d keys", keys).isBetween(rate * 0.4, rate * 1.1);
      assertThat(filter.estimatedErrorRate()).isCloseTo(measured, withPercentage(10));
    }
    assertThat(filter.slices()).isEqualTo(6);
    assertThat(filter.approximateCount()).isCloseTo(1_000_000, withPercentage(1));
    assertThat(Hashes.countOf(filter, 0, keys)).isEqualTo(keys);
  }

  /** It was zero, as one less the rate of two keys is one. */
  @Test
  void a_rate_of_a_few_keys_is_tiny_and_not_zero() {
    ScalableBloomFilter scalable = KeyFilter.forKeys(500_000).errorRate(0.001).seed(1).scalable();
    RotatingBloomFilter rotating =
        KeyFilter.forKeys(500_000)
            .errorRate(0.001)
            .seed(1)
            .rotating(Duration.ofHours(1), new ManualClock());
    for (KeyFilter filter : List.of(scalable, rotating)) {
      filter.putHash(Hashes.of(1));
      filter.putHash(Hashes.of(2));
      assertThat(filter.estimatedErrorRate()).isBetween(1e-60, 1e-12);
    }
  }

  @Case(33)
  @Test
  void exactly_one_thread_is_told_new_also_while_the_filter_grows() throws Exception {
    int keys = 20_000;
    ScalableBloomFilter filter = KeyFilter.forKeys(20).errorRate(1e-6).seed(2).scalable();
    AtomicInteger[] news = Hashes.race(8, keys, filter::putHash);
    assertThat(filter.slices()).isGreaterThan(8);
    assertThat(news).allMatch(it -> it.get() <= 1);
    assertThat(news).filteredOn(it -> it.get() == 0).hasSizeLessThanOrEqualTo(2);
    assertThat(Hashes.countOf(filter, 0, keys)).isEqualTo(keys);
  }

  @Test
  void off_the_heap_it_grows_and_answers_the_same() {
    FilterBuilder builder = KeyFilter.forKeys(100).seed(4);
    ScalableBloomFilter onHeap = Hashes.filled(builder.scalable(), 5000);
    ScalableBloomFilter offHeap = Hashes.filled(builder.offHeap().scalable(), 5000);
    assertThat(offHeap.slices()).isEqualTo(onHeap.slices());
    assertThat(Hashes.countOf(offHeap, 0, 100_000)).isEqualTo(Hashes.countOf(onHeap, 0, 100_000));
  }

  @Test
  void figures_are_of_all_slices() {
    ScalableBloomFilter filter = Hashes.filled(KeyFilter.forKeys(100).scalable(), 5000);
    assertThat(filter.fill()).isBetween(0.1, 0.5);
    assertThat(filter.sizeInBytes()).isBetween(10_000L, 200_000L);
    assertThat(filter.promisedErrorRate()).isEqualTo(0.001);
    boolean[] found = new boolean[5000];
    filter.mightContain(Hashes.range(0, 5000), found);
    assertThat(found).doesNotContain(false);
    assertThat(filter.putAll(Hashes.range(0, 5000))).isZero();
    assertThat(filter.putAll(Hashes.range(5000, 1000))).isBetween(990, 1000);
  }

  @Test
  void a_filter_for_as_many_keys_as_there_are_is_refused_with_the_limit() {
    assertThatThrownBy(() -> KeyFilter.forKeys(Long.MAX_VALUE).scalable())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("keys must be at most \\d+ at the error rate .*");
  }
}
