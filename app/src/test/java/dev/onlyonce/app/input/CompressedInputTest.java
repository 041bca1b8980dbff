package dev.onlyonce.app.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompressedInputTest {
  private static final String FIRST = "{\"id\":1}\n{\"id\":2}\n{\"id\":";
  private static final String SECOND = "3}\n{\"id\":4}\n";

  @TempDir Path folder;

  enum Packer {
    GZIP,
    ZSTD;

    byte[] pack(String content) {
      byte[] bytes = Collected.latin1(content);
      return this == GZIP ? gzip(bytes) : Zstd.compress(bytes);
    }
  }

  @ParameterizedTest
  @EnumSource
  void compression_is_told_by_the_first_bytes_and_not_by_the_name(Packer packer)
      throws IOException {
    Path packed = Files.write(folder.resolve("a.jsonl"), packer.pack(FIRST + SECOND));
    Path plain = Files.writeString(folder.resolve("b.jsonl.gz"), FIRST + SECOND);

    assertThat(Collected.read(ReadSettings.defaults(), List.of(Input.file(packed))).bytes())
        .hasSize(4);
    assertThat(Collected.read(ReadSettings.defaults(), List.of(Input.file(plain))).bytes())
        .hasSize(4);
  }

  @ParameterizedTest
  @EnumSource
  void a_record_may_go_across_two_members(Packer packer) {
    byte[] packed = join(packer.pack(FIRST), packer.pack(""), packer.pack(SECOND));

    assertThat(read(packed, 1 << 20).bytes())
        .containsExactly("{\"id\":1}\n", "{\"id\":2}\n", "{\"id\":3}\n", "{\"id\":4}\n");
  }

  @ParameterizedTest
  @EnumSource
  void members_of_both_small_and_large_size_arrive_in_any_pieces(Packer packer) {
    Random random = new Random(1);
    for (int round = 0; round < 20; round++) {
      StringBuilder content = new StringBuilder();
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      for (int member = 0; member < 4; member++) {
        String lines = randomLines(random, 1 << random.nextInt(14));
        content.append(lines);
        packed.writeBytes(packer.pack(lines));
      }

      Collected all = read(packed.toByteArray(), 1 + random.nextInt(5000));

      assertThat(String.join("", all.bytes())).isEqualTo(content.toString());
    }
  }

  /** The JDK's own reader takes a cut or damaged second member for the end of the data. */
  @ParameterizedTest
  @EnumSource
  void data_cut_off_anywhere_is_told_after_the_records_before(Packer packer) {
    byte[] first = packer.pack(FIRST);
    byte[] whole = join(first, packer.pack(SECOND));
    for (int length = 4; length < whole.length; length++) {
      if (length == first.length) {
        continue;
      }
      byte[] cut = Arrays.copyOf(whole, length);
      for (int piece : new int[] {1, 3, 1 << 20}) {
        Collected collected = new Collected();
        try (RecordReader reader = reader(cut, piece)) {
          assertThatThrownBy(() -> collected.readAll(reader, new RecordBatch()))
              .describedAs("cut to %d of %d bytes, pieces of %d", length, whole.length, piece)
              .isInstanceOfSatisfying(
                  Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.BAD_INPUT))
              .hasMessageContaining("too early");
        }
        if (length > first.length) {
          assertThat(collected.bytes()).startsWith("{\"id\":1}\n", "{\"id\":2}\n");
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void other_bytes_behind_the_end_are_told(Packer packer) {
    for (String garbage :
        List.of("x", "garbage behind the end", "\u001F\u008B", "(\u00B5/\u00FD")) {
      byte[] packed = join(packer.pack(FIRST + SECOND), Collected.latin1(garbage));

      assertThatThrownBy(() -> read(packed, 1 << 20))
          .isInstanceOfSatisfying(
              Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.BAD_INPUT))
          .hasMessageStartingWith("in, line ");
    }
  }

  @Test
  void the_place_of_damage_is_told() {
    byte[] packed = gzip(Collected.latin1(FIRST + SECOND));
    byte[] cut = Arrays.copyOf(packed, packed.length - 3);

    assertThatThrownBy(() -> read(cut, 1 << 20))
        .hasMessage("in, line 5: the gzip data ends too early (was the file cut off?)");
  }

  @Test
  void a_wrong_checksum_or_length_is_told() {
    for (int fromEnd : new int[] {1, 4, 5, 8}) {
      byte[] packed = gzip(Collected.latin1(FIRST + SECOND));
      packed[packed.length - fromEnd] ^= 1;

      assertThatThrownBy(() -> read(packed, 1 << 20))
          .hasMessageContaining("the gzip data is damaged: its checksum is wrong");
    }
  }

  @ParameterizedTest
  @EnumSource
  void damage_anywhere_in_the_data_is_told(Packer packer) {
    // A checksum in the frame, as the zstd program writes it.
    String content = randomLines(new Random(2), 3000);
    byte[] packed =
        packer == Packer.GZIP ? packer.pack(content) : zstdWithChecksum(Collected.latin1(content));
    Random random = new Random(3);
    for (int i = 0; i < 200; i++) {
      byte[] damaged = packed.clone();
      damaged[20 + random.nextInt(packed.length - 20)] ^= (byte) (1 << random.nextInt(8));

      assertThatThrownBy(() -> read(damaged, 1 << 20)).isInstanceOf(Failure.class);
    }
  }

  @Test
  void zero_bytes_behind_gzip_data_are_padding() {
    byte[] packed = join(gzip(Collected.latin1(FIRST + SECOND)), new byte[100_000]);

    assertThat(read(packed, 1 << 20).bytes()).hasSize(4);
  }

  @Test
  void gzip_headers_may_have_everything_that_the_rfc_allows() {
    byte[] plain = gzip(Collected.latin1(FIRST + SECOND));
    byte[] optional = Collected.latin1("\u0004\0extrname.txt\0a comment\0");
    byte[] header = Arrays.copyOf(plain, 10);
    header[3] = 2 | 4 | 8 | 16;
    byte[] withoutCrc = join(header, optional);
    CRC32 crc = new CRC32();
    crc.update(withoutCrc);
    byte[] headerCrc = {(byte) crc.getValue(), (byte) (crc.getValue() >> 8)};
    byte[] packed = join(withoutCrc, headerCrc, Arrays.copyOfRange(plain, 10, plain.length));

    for (int piece : new int[] {1, 7, 1 << 20}) {
      assertThat(read(packed, piece).bytes()).hasSize(4);
    }
  }

  @Test
  void zstd_data_may_begin_with_a_skippable_frame() {
    byte[] skippable = {0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    byte[] packed = join(skippable, Packer.ZSTD.pack(FIRST), skippable, Packer.ZSTD.pack(SECOND));

    assertThat(read(packed, 1 << 20).bytes()).hasSize(4);
  }

  @Test
  void a_byte_order_mark_inside_is_skipped_too() {
    byte[] packed = Packer.GZIP.pack("\u00EF\u00BB\u00BF{\"id\":1}\n");

    assertThat(read(packed, 1 << 20).bytes()).containsExactly("{\"id\":1}\n");
    assertThat(read(packed, 1 << 20).format).isEqualTo(Format.JSONL);
  }

  @Test
  void progress_counts_packed_bytes() throws IOException {
    byte[] packed = Packer.GZIP.pack(randomLines(new Random(4), 10_000));
    Path file = Files.write(folder.resolve("a.gz"), packed);
    RecordBatch batch = new RecordBatch();
    try (RecordReader reader =
        new RecordReader(List.of(Input.file(file)), ReadSettings.defaults())) {
      while (reader.read(batch)) {
        assertThat(reader.progress().bytes()).isLessThanOrEqualTo(packed.length);
      }
      assertThat(reader.progress().totalBytes()).isEqualTo(packed.length);
      assertThat(reader.progress().bytes()).isEqualTo(packed.length);
    }
  }

  private static Collected read(byte[] packed, int largestPiece) {
    Collected collected = new Collected();
    try (RecordReader reader = reader(packed, largestPiece)) {
      collected.readAll(reader, new RecordBatch());
    }
    return collected;
  }

  private static RecordReader reader(byte[] packed, int largestPiece) {
    Input input =
        Collected.input(
            largestPiece > packed.length
                ? new ByteArrayInputStream(packed)
                : new ChunkedStream(packed, new Random(5), largestPiece));
    return new RecordReader(List.of(input), ReadSettings.defaults());
  }

  private static byte[] zstdWithChecksum(byte[] content) {
    try (ZstdCompressCtx context = new ZstdCompressCtx()) {
      return context.setChecksum(true).compress(content);
    }
  }

  private static String randomLines(Random random, int lines) {
    StringBuilder content = new StringBuilder();
    IntStream.range(0, lines)
        .forEach(i -> content.append(Long.toHexString(random.nextLong())).append('\n'));
    return content.toString();
  }

  private static byte[] gzip(byte[] content) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return packed.toByteArray();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
