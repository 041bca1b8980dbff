package dev.onlyonce.app.cli;

import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.ReadSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the records of inputs are told apart. */
final class InputOptions {

  @Option(
      names = {"-f", "--format"},
      paramLabel = "FORMAT",
      completionCandidates = Choice.Formats.class,
      description = {
        "jsonl, csv, tsv or lines. Without it, the first bytes of the input tell.",
        "csv follows RFC 4180; tsv has no quotes."
      })
  private @Nullable Format format;

  @Option(
      names = "--no-header",
      description = "csv and tsv begin with a record, and columns are numbers.")
  private boolean noHeader;

  @Option(
      names = "--max-record",
      paramLabel = "SIZE",
      converter = Amounts.Bytes.class,
      description = "The longest record, as in 64MiB (the default), up to 1GiB.")
  private int maxRecordBytes = ReadSettings.DEFAULT_MAX_RECORD_BYTES;

  /** Returns the format that was asked for, null if none was. */
  @Nullable Format format() {
    return format;
  }

  /** Returns how to read inputs of a format, or of one that is to be told with these hints. */
  ReadSettings settings(@Nullable Format known, List<String> hints) {
    return new ReadSettings(known, !noHeader, maxRecordBytes, hints);
  }
}
