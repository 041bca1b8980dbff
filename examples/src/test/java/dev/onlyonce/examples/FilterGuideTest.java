package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.filter.BloomFilter;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.filter.RotatingBloomFilter;
import dev.onlyonce.testkit.ManualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the pieces of the filter guide, and holds the guide to them. */
class FilterGuideTest {

  private final FilterGuide guide = new FilterGuide();

  private static byte[] key(int number) {
    return ("order-" + number).getBytes(UTF_8);
  }

  @Test
  void the_guide_shows_the_regions_of_the_program() {
    assertThat(Guide.regions(FilterGuide.class)).hasSize(5);
    assertThat(Guide.of("filter.md").java()).isEqualTo(Guide.regions(FilterGuide.class));
  }

  @Test
  void the_archive_is_asked_about_keys_that_were_put_only() {
    assertThat(guide.isKnown(key(1), key -> true)).isFalse();
    guide.filter.put(key(1));
    assertThat(guide.isKnown(key(1), key -> true)).isTrue();
    assertThat(guide.isKnown(key(1), key -> false)).isFalse();
  }

  @Test
  void a_batch_is_counted_once() {
    byte[][] keys = {key(1), key(2), key(1)};
    assertThat(guide.countNew(keys)).isEqualTo(2);
    assertThat(guide.countNew(keys)).isZero();
  }

  @Test
  void a_saved_filter_knows_its_keys(@TempDir Path folder) throws IOException {
    guide.countNew(new byte[][] {key(1), key(2)});
    guide.save(folder.resolve("filter"));
    FilterGuide later = new FilterGuide();
    later.load(folder.resolve("filter"));
    assertThat(later.countNew(new byte[][] {key(1), key(2), key(3)})).isEqualTo(1);
  }

  @Test
  void one_filter_grows_and_one_forgets() {
    assertThat(guide.growing().put(key(1))).isTrue();
    ManualTime time = new ManualTime();
    RotatingBloomFilter ofADay = guide.ofADay(time);
    ofADay.put(key(1));
    time.advance(Duration.ofDays(1));
    assertThat(ofADay.mightContain(key(1))).isTrue();
    time.advance(Duration.ofDays(1));
    assertThat(ofADay.mightContain(key(1))).isFalse();
  }

  @Test
  void a_union_has_the_keys_of_all_shards() {
    BloomFilter left = KeyFilter.forKeys(10_000_000).seed(42).fixed();
    BloomFilter right = KeyFilter.forKeys(10_000_000).seed(42).fixed();
    left.put(key(1));
    right.put(key(2));
    BloomFilter all = guide.ofAll(List.of(left, right));
    assertThat(all.mightContain(key(1)) && all.mightContain(key(2))).isTrue();
    assertThat(all.mightContain(key(3))).isFalse();
  }
}
