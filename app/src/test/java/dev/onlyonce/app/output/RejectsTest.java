package dev.onlyonce.app.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.Problem;
import dev.onlyonce.app.input.ReadSettings;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.app.input.RecordReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that rejects all records longer than ten bytes. */
class RejectsTest {
  private static final String LONG = "x".repeat(500_000);

  private final List<String> told = new ArrayList<>();
  @TempDir Path folder;
  private Path in;
  private Path out;

  @BeforeEach
  void nameFiles() throws IOException {
    in = Files.writeString(folder.resolve("in"), "k\na\n" + LONG + "\nb\n" + LONG + "\nc\n");
    out = folder.resolve("out");
  }

  @Test
  void failing_leaves_such_records_out_tells_all_of_them_and_fails_at_the_end() throws IOException {
    Rejects rejects = run("fail");

    assertThat(Files.readString(out)).isEqualTo("k\na\nb\nc\n");
    assertThat(told)
        .containsExactly(
            in + ", line 3: the record is longer than --max-record allows",
            in + ", line 5: the record is longer than --max-record allows");
    assertThatThrownBy(() -> Rejects.refuse(rejects))
        .isInstanceOfSatisfying(
            Failure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.BAD_INPUT))
        .hasMessage(
            "2 records were left out as unreadable, as told above; --bad-record pass lets such records"
                + " through, --bad-record FILE sets them aside");
  }

  /** Both stood in one line, of which the second half was not read. */
  @Test
  void two_policies_are_two_sentences() throws IOException {
    Rejects bad = run("fail");
    Rejects missing = Rejects.missingKeys("fail", told::add);
    RecordBatch batch = new RecordBatch();
    Files.writeString(in, "k\na\n");
    try (RecordReader reader = new RecordReader(List.of(Input.file(in)), ReadSettings.defaults())) {
      assertThat(reader.read(batch)).isTrue();
      missing.take(batch, 0, "has no key");
    }
    told.clear();

    assertThatThrownBy(() -> Rejects.refuse(missing, bad))
        .isInstanceOf(Failure.class)
        .hasMessageStartingWith("2 records were left out as unreadable")
        .hasMessageNotContaining("--missing-key");
    assertThat(told)
        .containsExactly(
            "1 record was left out for want of a key, as told above; --missing-key pass lets such"
                + " records through, --missing-key FILE sets them aside");
  }

  @Test
  void passing_lets_such_records_through_in_their_place() throws IOException {
    Rejects rejects = run("pass");

    assertThat(out).hasSameBinaryContentAs(in);
    assertThat(told).hasSize(2);
    assertThatCode(() -> Rejects.refuse(rejects)).doesNotThrowAnyException();
  }

  @Test
  void a_file_gets_the_header_and_such_records_as_they_are() throws IOException {
    Path file = folder.resolve("rejected");

    Rejects rejects = run(file.toString());

    assertThat(Files.readString(file)).isEqualTo("k\n" + LONG + "\n" + LONG + "\n");
    assertThat(Files.readString(out)).isEqualTo("k\na\nb\nc\n");
    assertThat(rejects.count()).isEqualTo(2);
    assertThatCode(() -> Rejects.refuse(rejects)).doesNotThrowAnyException();
  }

  @Test
  void not_more_than_some_are_told_one_by_one() throws IOException {
    Files.writeString(in, "k\n" + "longer than ten\n".repeat(1000));

    Rejects rejects = run("pass");

    assertThat(rejects.count()).isEqualTo(1000);
    assertThat(told).hasSize(21);
    assertThat(told.get(20)).endsWith("; more of these are only counted");
  }

  private Rejects run(String policy) {
    Rejects rejects = Rejects.badRecords(policy, told::add);
    List<Input> inputs = List.of(Input.file(in));
    ReadSettings settings = new ReadSettings(Format.CSV, true, 10, List.of());
    RecordBatch batch = new RecordBatch();
    try (RecordReader reader = new RecordReader(inputs, settings);
        Outputs outputs = new Outputs(inputs)) {
      RecordWriter writer = outputs.file("--out", out);
      rejects.open(outputs, writer);
      outputs.begin();
      boolean more = reader.read(batch);
      reader.header().ifPresent(writer::write);
      reader.header().ifPresent(rejects::write);
      for (; more; more = reader.read(batch)) {
        for (int i = 0; i < batch.size(); i++) {
          if (batch.problem(i) == Problem.NONE) {
            writer.write(batch, i);
          } else {
            rejects.take(batch, i, batch.problem(i).sentence());
          }
        }
      }
    }
    return rejects;
  }
}
