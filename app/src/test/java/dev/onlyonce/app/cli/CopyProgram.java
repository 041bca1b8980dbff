package dev.onlyonce.app.cli;

import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.ReadSettings;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.app.output.RecordWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The program with one more command, which copies records: input and output with nothing between.
 */
@Command(name = "copy")
final class CopyProgram implements Runnable {
  @Parameters private List<Path> files = List.of();

  @Option(names = "--out")
  private Path out;

  @Option(names = "--duplicates")
  private Path duplicates;

  @Option(names = "--max-record")
  private int maxRecord = ReadSettings.DEFAULT_MAX_RECORD_BYTES;

  @Option(names = "--fail-with")
  private String failure;

  public static void main(String[] args) {
    CommandLine commandLine = Main.commandLine().addSubcommand(new CopyProgram());
    System.exit(Main.run(commandLine, args));
  }

  @Override
  public void run() {
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
    List<Input> inputs =
        files.isEmpty() ? List.of(Input.standardInput()) : files.stream().map(Input::file).toList();
    Input.check(inputs);
    ReadSettings settings = new ReadSettings(null, true, maxRecord, List.of());
    try (RecordReader reader = new RecordReader(inputs, settings);
        Outputs outputs = new Outputs(inputs)) {
      RecordWriter writer = out == null ? outputs.standardOutput() : outputs.file("--out", out);
      if (duplicates != null) {
        outputs.file("--duplicates", duplicates);
      }
      outputs.begin();
      copy(reader, writer);
    }
  }

  private static void copy(RecordReader reader, RecordWriter writer) {
    RecordBatch batch = new RecordBatch();
    boolean more = reader.read(batch);
    reader.header().ifPresent(writer::write);
    for (; more; more = reader.read(batch)) {
      for (int i = 0; i < batch.size(); i++) {
        writer.write(batch, i);
      }
      writer.flush();
    }
  }
}
