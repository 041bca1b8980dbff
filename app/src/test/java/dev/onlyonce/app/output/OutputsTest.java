package dev.onlyonce.app.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.ReadSettings;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.app.input.RecordReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputsTest {
  @TempDir Path folder;
  private Path in;

  @BeforeEach
  void writeInput() throws IOException {
    in = Files.writeString(folder.resolve("in"), "a\nb\n");
  }

  @Test
  void a_file_is_created_or_emptied_and_written() throws IOException {
    Path created = folder.resolve("created");
    Path existing = Files.writeString(folder.resolve("existing"), "something longer\n");

    try (Outputs outputs = outputs()) {
      RecordWriter first = outputs.file("--out", created);
      RecordWriter second = outputs.file("--duplicates", existing);
      outputs.begin();
      RecordBatch batch = batch();
      first.write(batch, 0);
      second.write(batch, 1);
    }

    assertThat(created).hasContent("a\n");
    assertThat(Files.readString(existing)).isEqualTo("b\n");
  }

  @Test
  void an_output_that_is_an_input_is_refused_and_left_as_it_is() throws IOException {
    try (Outputs outputs = outputs()) {
      assertThatThrownBy(() -> outputs.file("--out", in))
          .isInstanceOfSatisfying(
              Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
          .hasMessage(
              "--out %s is the same file as the input (%s), which would be destroyed;"
                  + " write to another file",
              in, in);
    }

    assertThat(Files.readString(in)).isEqualTo("a\nb\n");
  }

  @Test
  void another_way_to_the_same_file_is_refused_too() throws IOException {
    Path symbolic = Files.createSymbolicLink(folder.resolve("symbolic"), in);
    Path hard = Files.createLink(folder.resolve("hard"), in);
    Path dotted = folder.resolve(".").resolve("x").resolve("..").resolve("in");
    Files.createDirectory(folder.resolve("x"));

    for (Path path : List.of(symbolic, hard, dotted)) {
      try (Outputs outputs = outputs()) {
        assertThatThrownBy(() -> outputs.file("--out", path))
            .isInstanceOf(Failure.class)
            .hasMessageContaining("is the same file as the input");
      }
    }
    assertThat(Files.readString(in)).isEqualTo("a\nb\n");
  }

  @Test
  void two_outputs_that_are_the_same_file_are_refused_and_nothing_is_left_behind()
      throws IOException {
    Path out = folder.resolve("out");
    Path link = Files.createSymbolicLink(folder.resolve("link"), out);

    try (Outputs outputs = outputs()) {
      outputs.file("--out", out);
      assertThatThrownBy(() -> outputs.file("--duplicates", link))
          .isInstanceOf(Failure.class)
          .hasMessage(
              "--duplicates %s is the same file as --out %s; write to another file", link, out);
    }

    assertThat(out).doesNotExist();
  }

  @Test
  void nothing_is_emptied_if_a_later_output_is_refused() throws IOException {
    Path out = Files.writeString(folder.resolve("out"), "precious\n");

    try (Outputs outputs = outputs()) {
      outputs.file("--out", out);
      assertThatThrownBy(() -> outputs.file("--duplicates", in)).isInstanceOf(Failure.class);
    }

    assertThat(Files.readString(out)).isEqualTo("precious\n");
  }

  @Test
  void a_file_that_cannot_be_opened_is_told_with_the_reason() {
    Path nowhere = folder.resolve("nowhere").resolve("out");
    try (Outputs outputs = outputs()) {
      assertThatThrownBy(() -> outputs.file("--out", nowhere))
          .isInstanceOfSatisfying(
              Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.IO_FAILURE))
          .hasMessage("cannot write --out %s: no such file or folder", nowhere);
      assertThatThrownBy(() -> outputs.file("--out", folder))
          .hasMessage("cannot write --out %s: Is a directory", folder);
    }
  }

  @Test
  void a_full_disk_is_told_once() {
    Path full = Path.of("/dev/full");
    assumeThat(full).exists();
    Outputs outputs = outputs();
    RecordWriter writer = outputs.file("--out", full);
    outputs.begin();
    writer.write(batch(), 0);

    assertThatThrownBy(writer::flush)
        .isInstanceOfSatisfying(
            Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.IO_FAILURE))
        .hasMessage("cannot write --out /dev/full: No space left on device");
    outputs.close();
  }

  @Test
  void closing_tells_a_failed_write_and_closes_the_others() throws IOException {
    Path full = Path.of("/dev/full");
    assumeThat(full).exists();
    Path other = folder.resolve("other");
    Outputs outputs = outputs();
    RecordWriter first = outputs.file("--out", full);
    RecordWriter second = outputs.file("--duplicates", other);
    outputs.begin();
    RecordBatch batch = batch();
    first.write(batch, 0);
    second.write(batch, 1);

    assertThatThrownBy(outputs::close).isInstanceOf(Failure.class);

    assertThat(Files.readString(other)).isEqualTo("b\n");
  }

  @Test
  void several_outputs_may_go_to_a_device() {
    Path device = Path.of("/dev/null");
    assumeThat(device).exists();
    try (Outputs outputs = outputs()) {
      outputs.file("--out", device);
      outputs.file("--duplicates", device);
      outputs.begin();
    }
  }

  private Outputs outputs() {
    return new Outputs(List.of(Input.file(in)));
  }

  private RecordBatch batch() {
    RecordBatch batch = new RecordBatch();
    ReadSettings settings = new ReadSettings(Format.LINES, true, 100, List.of());
    try (RecordReader reader = new RecordReader(List.of(Input.file(in)), settings)) {
      reader.read(batch);
      while (batch.size() < 2) {
        reader.read(batch);
      }
    }
    return batch;
  }

  /** The second one emptied it, and both wrote over each other's records. */
  @Test
  void a_file_that_another_run_writes_is_refused_and_not_touched() throws IOException {
    Path file = folder.resolve("out");
    try (Outputs first = new Outputs(List.of())) {
      first.file("--out", file);
      first.begin();
      Files.writeString(file, "first");

      try (Outputs second = new Outputs(List.of())) {
        assertThatThrownBy(() -> second.file("--out", file))
            .isInstanceOf(Failure.class)
            .hasMessage(
                "--out "
                    + file
                    + " is being written by another run of onlyonce; wait for its end, or name"
                    + " another file");
      }
      assertThat(file).hasContent("first");
    }
    try (Outputs next = new Outputs(List.of())) {
      next.file("--out", file);
    }
  }
}
