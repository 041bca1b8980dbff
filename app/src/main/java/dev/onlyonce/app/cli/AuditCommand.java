package dev.onlyonce.app.cli;

import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.audit.Asked;
import dev.onlyonce.app.audit.Audit;
import dev.onlyonce.app.audit.JsonReport;
import dev.onlyonce.app.audit.Summary;
import dev.onlyonce.app.audit.TextReport;
import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.app.output.SafeText;
import dev.onlyonce.spi.Limits;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code onlyonce audit}: compares what was sent with what has taken effect. */
@Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Compares what was sent with what has taken effect, key by key.",
      "",
      "A key that was sent, however often, should have taken effect once. Told are keys that are"
          + " missing (sent, but without effect), doubled (more than one effect) and unexpected"
          + " (effect, but not sent). gzip and zstd are unpacked; - is standard input. Keys are kept"
          + " in memory.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every key that was sent has taken effect once, and no other has",
      "1:a key is missing, doubled or unexpected, or there was nothing to compare",
      "2:the command line cannot be carried out",
      "3:the input is damaged, or records could not be compared, which are told",
      "4:a file or stream could not be read or written, or the memory is full"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce audit --sent in.jsonl --key /id --effects done.csv --effects-key id",
      "  onlyonce audit --sent in.csv --effects done.csv --key id --key state --json",
      "  onlyonce audit --sent in.csv --key id --effects ids --effects-format lines",
      "  psql -Atc 'select id from charge' | onlyonce audit --sent ids --effects -"
    })
final class AuditCommand implements Callable<Integer> {

  private static final long OTHER_HEAP_BYTES = 128L << 20;
  private static final long LEAST_HEAP_BYTES = 16L << 20;

  @Option(
      names = "--sent",
      paramLabel = "FILE",
      required = true,
      description = "What was sent; may be given several times.")
  private List<Path> sent = List.of();

  @Option(
      names = "--effects",
      paramLabel = "FILE",
      required = true,
      description = "What has taken effect; may be given several times.")
  private List<Path> effects = List.of();

  @Option(
      names = {"-k", "--key"},
      paramLabel = "EXPR",
      description = {
        "The key of what was sent: a JSON Pointer (RFC 6901, as in /order/id) for jsonl, the name or"
            + " number of a column for csv and tsv. Several make a composite key. Without any, the"
            + " whole record counts."
      })
  private List<String> keys = List.of();

  @Option(
      names = "--effects-key",
      paramLabel = "EXPR",
      description = "The key of the effects. Without it, that of --key.")
  private @Nullable List<String> effectKeys;

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = "--effects-format",
      paramLabel = "FORMAT",
      completionCandidates = Choice.Formats.class,
      description = {
        "The format of the effects, if it is to be another one. With lines, and without"
            + " --effects-key, each line is a key."
      })
  private @Nullable Format effectsFormat;

  @Option(
      names = "--limit",
      paramLabel = "COUNT",
      description = "How many keys of each kind to list as text (the default is 20).")
  private int limit = 20;

  @Option(
      names = "--json",
      description = {
        "List all keys, one JSON object a line, and the sums in a last object \"summary\"."
      })
  private boolean json;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() {
    requirePositiveLimit();
    List<Input> left = sent.stream().map(Input::named).toList();
    List<Input> right = effects.stream().map(Input::named).toList();
    Input.check(Stream.concat(left.stream(), right.stream()).toList());
    Audit audit = new Audit(memoryBytes(), this::complain);
    Asked asked = new Asked("--key", "--format", keys, input.format());
    try (RecordReader sentRecords = reader(left, asked);
        RecordReader effectRecords = reader(right, askedOfEffects())) {
      audit.run(sentRecords, asked, effectRecords, askedOfEffects());
    }
    report(audit);
    Summary summary = audit.summary();
    if (summary.leftOut() > 0) {
      throw Failure.badInput(
          Quantity.of(summary.leftOut(), "record") + " could not be compared, as told above");
    }
    boolean isFine = summary.isClean() && !summary.isEmpty();
    return (isFine ? ExitCode.FINE : ExitCode.FINDING).number();
  }

  private void requirePositiveLimit() {
    try {
      Limits.requirePositive("--limit", limit);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(String.valueOf(e.getMessage()));
    }
  }

  private Asked askedOfEffects() {
    Format format = effectsFormat == null ? input.format() : effectsFormat;
    return effectKeys == null
        ? Asked.ofEffectsToo(keys, format)
        : new Asked("--effects-key", "--effects-format", effectKeys, format);
  }

  private RecordReader reader(List<Input> inputs, Asked asked) {
    return new RecordReader(inputs, input.settings(asked.format(), asked.hints()));
  }

  /** Returns how much of the memory that Java may use is left for keys. */
  private static long memoryBytes() {
    return Math.max(LEAST_HEAP_BYTES, Runtime.getRuntime().maxMemory() - OTHER_HEAP_BYTES);
  }

  private void report(Audit audit) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      JsonReport.print(audit, out);
    } else {
      TextReport.print(audit, limit, out);
    }
    out.flush();
  }

  private void complain(String sentence) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("onlyonce: " + SafeText.of(sentence));
    err.flush();
  }
}
