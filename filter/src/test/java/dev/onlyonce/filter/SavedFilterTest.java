package dev.onlyonce.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SavedFilterTest {

  private final ManualClock clock = new ManualClock();

  private static byte[] saved(KeyFilter filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.save(out);
    return out.toByteArray();
  }

  private static InputStream in(byte[] bytes) {
    return new ByteArrayInputStream(bytes);
  }

  private static void areTheSame(KeyFilter read, KeyFilter written) {
    assertThat(read.seed()).isEqualTo(written.seed());
    assertThat(read.promisedErrorRate()).isEqualTo(written.promisedErrorRate());
    assertThat(read.estimatedErrorRate()).isEqualTo(written.estimatedErrorRate());
    assertThat(read.approximateCount()).isEqualTo(written.approximateCount());
    assertThat(read.sizeInBytes()).isEqualTo(written.sizeInBytes());
    for (int i = 0; i < 30_000; i++) {
      long hash = Hashes.of(i);
      assertThat(read.mightContainHash(hash)).isEqualTo(written.mightContainHash(hash));
    }
  }

  @Test
  void a_fixed_filter_comes_back_as_it_was() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 20; round++) {
      int keys = random.nextInt(1, 20_000);
      BloomFilter filter =
          KeyFilter.forKeys(keys).errorRate(Math.pow(10, -random.nextDouble(1, 6))).fixed();
      Hashes.filled(filter, random.nextInt(keys));
      areTheSame(BloomFilter.load(in(saved(filter))), filter);
    }
  }

  @Test
  void being_over_full_comes_back_too() throws IOException {
    BloomFilter refuses = BloomFilter.load(in(saved(KeyFilter.forKeys(100).fixed())));
    assertThatThrownBy(() -> Hashes.filled(refuses, 10_000)).isInstanceOf(OverFullException.class);
    BloomFilter full = BloomFilter.load(in(saved(refuses)));
    assertThatThrownBy(() -> Hashes.filled(full, 10_000)).isInstanceOf(OverFullException.class);
    BloomFilter accepts =
        BloomFilter.load(
            in(saved(KeyFilter.forKeys(100).whenOverFull(WhenOverFull.ACCEPT).fixed())));
    Hashes.filled(accepts, 10_000);
    assertThat(accepts.estimatedErrorRate()).isGreaterThan(0.9);
  }

  @Test
  void a_scalable_filter_comes_back_and_grows_on() throws IOException {
    ScalableBloomFilter filter = Hashes.filled(KeyFilter.forKeys(500).scalable(), 10_000);
    ScalableBloomFilter read = ScalableBloomFilter.load(in(saved(filter)));
    areTheSame(read, filter);
    areTheSame(Hashes.filled(read, 30_000), Hashes.filled(filter, 30_000));
    assertThat(read.slices()).isEqualTo(filter.slices()).isGreaterThan(5);
  }

  @Test
  void a_rotating_filter_comes_back_and_forgets_what_has_become_too_old() throws IOException {
    RotatingBloomFilter filter =
        KeyFilter.forKeys(300).generations(3).rotating(Duration.ofHours(1), clock);
    for (int i = 0; i < 12_000; i++) {
      filter.putHash(Hashes.of(i));
      if (i % 4000 == 3999 && i < 11_000) {
        clock.pass(Duration.ofMinutes(30));
      }
    }
    byte[] bytes = saved(filter);
    RotatingBloomFilter read = RotatingBloomFilter.load(in(bytes), clock);
    areTheSame(read, filter);
    assertThat(read.window()).isEqualTo(filter.window());
    clock.pass(Duration.ofMinutes(30));
    areTheSame(RotatingBloomFilter.load(in(bytes), clock), filter);
    assertThat(Hashes.countOf(read, 0, 4000)).isLessThan(20);
    assertThat(Hashes.countOf(read, 4000, 8000)).isEqualTo(8000);
  }

  @Test
  void a_filter_is_read_into_either_memory_from_either() throws IOException {
    FilterBuilder builder = KeyFilter.forKeys(500);
    BloomFilter fixed = Hashes.filled(builder.fixed(), 400);
    ScalableBloomFilter scalable = Hashes.filled(builder.scalable(), 5000);
    RotatingBloomFilter rotating =
        Hashes.filled(builder.rotating(Duration.ofHours(1), clock), 5000);
    BloomFilter fixedOffHeap = BloomFilter.loadOffHeap(in(saved(fixed)));
    areTheSame(fixedOffHeap, fixed);
    areTheSame(BloomFilter.load(in(saved(fixedOffHeap))), fixed);
    areTheSame(ScalableBloomFilter.loadOffHeap(in(saved(scalable))), scalable);
    areTheSame(RotatingBloomFilter.loadOffHeap(in(saved(rotating)), clock), rotating);
  }

  /** More than is read ahead of making room. */
  @Test
  void a_slice_of_many_mebibytes_comes_back() throws IOException {
    BloomFilter filter = Hashes.filled(KeyFilter.forKeys(10_000_000).fixed(), 30_000);
    assertThat(filter.sizeInBytes()).isGreaterThan(18 << 20);
    areTheSame(BloomFilter.load(in(saved(filter))), filter);
  }

  @Test
  void every_window_and_number_of_generations_can_be_saved() throws IOException {
    for (int generations : new int[] {2, 4, 31, 32}) {
      FilterBuilder builder = KeyFilter.forKeys(10).generations(generations);
      for (Duration window :
          new Duration[] {
            Duration.ofMillis(generations),
            Duration.ofSeconds(1).plusNanos(1),
            Duration.ofDays(3660)
          }) {
        RotatingBloomFilter filter = builder.rotating(window, clock);
        RotatingBloomFilter read = RotatingBloomFilter.load(in(saved(filter)), clock);
        assertThat(read.window()).isEqualTo(filter.window()).isGreaterThanOrEqualTo(window);
        assertThat(saved(read)).isEqualTo(saved(filter));
      }
    }
  }

  @Test
  void several_filters_lie_behind_one_another_in_a_stream() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    KeyFilter first = Hashes.filled(KeyFilter.forKeys(50_000).fixed(), 10_000);
    KeyFilter second = Hashes.filled(KeyFilter.forKeys(50).scalable(), 1000);
    first.save(out);
    second.save(out);
    InputStream in = in(out.toByteArray());
    areTheSame(BloomFilter.load(in), first);
    areTheSame(ScalableBloomFilter.load(in), second);
    assertThat(in.read()).isEqualTo(-1);
  }

  @Test
  void every_flipped_bit_and_every_missing_byte_is_noticed() throws IOException {
    byte[] good = saved(Hashes.filled(KeyFilter.forKeys(20).scalable(), 100));
    for (int at = 0; at < good.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] bad = good.clone();
        bad[at] ^= (byte) (1 << bit);
        assertThat(catchThrowable(() -> ScalableBloomFilter.load(in(bad))))
            .as("bit %d of byte %d", bit, at)
            .isInstanceOf(FilterFormatException.class);
      }
      byte[] cut = Arrays.copyOf(good, at);
      assertThatThrownBy(() -> ScalableBloomFilter.load(in(cut)))
          .isInstanceOf(FilterFormatException.class)
          .hasMessage("the saved filter is cut short");
    }
  }

  /** Offsets are those of docs/formats/filter.md. */
  @ParameterizedTest
  @CsvSource({
    "24, 0", // error rate 0
    "24, 9221120237041090560", // not a number
    "32, 0", // keys
    "32, -1",
    "40, 1", // generations
    "40, 33",
    "40, 4294967300", // 4, and more behind it
    "48, 0", // window
    "48, 9223372036854775807",
    "56, 0", // filters
    "56, 5",
    "56, -1",
    "72, -1", // slices left
    "72, 32",
    "76, 0", // blocks
    "76, -1",
    "80, 0", // bits a lane
    "80, 4"
  })
  void impossible_numbers_with_a_right_checksum_are_refused_in_one_sentence(int at, long number)
      throws IOException {
    byte[] bytes = saved(KeyFilter.forKeys(20).rotating(Duration.ofHours(1), clock));
    ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (at >= 56) {
      file.putInt(at, (int) number);
    } else {
      file.putLong(at, number);
    }
    seal(bytes);
    assertThatThrownBy(() -> RotatingBloomFilter.load(in(bytes), clock))
        .isInstanceOf(FilterFormatException.class)
        .hasMessage("the saved filter is damaged: it has impossible numbers");
  }

  /** 16 GiB are announced; this JVM has not that much, and would not get as far as the sentence. */
  @Test
  void a_huge_size_with_a_right_checksum_takes_no_memory() throws IOException {
    byte[] bytes = saved(KeyFilter.forKeys(20).fixed());
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(76, (1 << 28) - 2);
    seal(bytes);
    assertThatThrownBy(() -> BloomFilter.load(in(bytes)))
        .isInstanceOf(FilterFormatException.class)
        .hasMessage("the saved filter is cut short");
    assertThatThrownBy(() -> BloomFilter.loadOffHeap(in(bytes)))
        .hasMessage("the saved filter is cut short");
  }

  /** Sets the checksums of the header and of the first slice's head. */
  private static void seal(byte[] bytes) {
    for (int at : new int[] {60, 84}) {
      CRC32C checksum = new CRC32C();
      checksum.update(bytes, 0, at);
      ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at, (int) checksum.getValue());
    }
  }

  @Test
  void a_newer_format_another_kind_and_other_files_are_refused_in_one_sentence()
      throws IOException {
    byte[] bytes = saved(KeyFilter.forKeys(20).fixed());
    assertThatThrownBy(() -> ScalableBloomFilter.load(in(bytes)))
        .isInstanceOf(FilterFormatException.class)
        .hasMessage("the filter must be of kind 2 (SCALABLE), was 1");
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(8, 2);
    assertThatThrownBy(() -> BloomFilter.load(in(bytes)))
        .hasMessage("the filter is of format 2, this version reads format 1; use a newer one");
    ByteBuffer.wrap(bytes).putInt(8, 0);
    assertThatThrownBy(() -> BloomFilter.load(in(bytes)))
        .hasMessage("the saved filter is damaged: its format is 0");
    bytes[0] = 'X';
    assertThatThrownBy(() -> BloomFilter.load(in(bytes))).hasMessage("this is no saved filter");
  }
}
