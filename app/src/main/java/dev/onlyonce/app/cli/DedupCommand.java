package dev.onlyonce.app.cli;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.app.ExitCode;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.FileName;
import dev.onlyonce.app.dedup.Counts;
import dev.onlyonce.app.dedup.Dedup;
import dev.onlyonce.app.dedup.Destinations;
import dev.onlyonce.app.dedup.EventClock;
import dev.onlyonce.app.dedup.KeyExpressions;
import dev.onlyonce.app.dedup.KeysInFilter;
import dev.onlyonce.app.dedup.KeysInMemory;
import dev.onlyonce.app.dedup.SeenKeys;
import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.app.output.ReaderGoneException;
import dev.onlyonce.app.output.RecordWriter;
import dev.onlyonce.app.output.Rejects;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code onlyonce dedup}: passes the first record of each key on. */
@Command(
    name = "dedup",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Passes the first record of each key on, in order and byte for byte.",
      "",
      "Reads FILEs one behind the other, or standard input; gzip and zstd are unpacked. Keys are kept"
          + " in memory, so each run starts anew, unless --state or --store says where to keep them.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:fine; also when the reader of the output closes it early, as head does",
      "2:the command line cannot be carried out",
      "3:the input is damaged, or records were left out by a policy fail, or the file of a tiered"
          + " store is not as it should be",
      "4:a file, stream or state could not be read or written, or the memory is full"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  onlyonce dedup --key /event/eventID < events.jsonl > once.jsonl",
      "  onlyonce dedup --key order_id --key status --duplicates again.csv orders.csv",
      "  onlyonce dedup --key /id --state seen --out once.jsonl today.jsonl",
      "  zcat log.gz | onlyonce dedup --window 24h --stats json",
      "  onlyonce dedup --key /id --missing-key pass --bad-record bad.jsonl in.jsonl"
    })
final class DedupCommand implements Callable<Integer> {

  private static final Duration FOR_EVER = Duration.ofDays(36_500);
  private static final long OTHER_HEAP_BYTES = 192L << 20;
  private static final int KEY_BYTES = 72;

  @Parameters(paramLabel = "FILE", description = "What to read; - is standard input.")
  private List<String> files = List.of();

  @Option(
      names = {"-k", "--key"},
      paramLabel = "EXPR",
      description = {
        "What makes records copies of each other: a JSON Pointer (RFC 6901, as in /order/id) for"
            + " jsonl, the name or number of a column for csv and tsv. Several make a composite key."
            + " Without any, the whole record counts."
      })
  private List<String> keys = List.of();

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      description = "Write first records to this file; - is standard output (the default).")
  private @Nullable Path out;

  @Option(
      names = {"-d", "--duplicates"},
      paramLabel = "FILE",
      description = "Write all later records to this file.")
  private @Nullable Path duplicates;

  @Option(
      names = "--missing-key",
      paramLabel = "fail|pass|FILE",
      completionCandidates = Choice.Policies.class,
      description = {
        "What to do with a record whose key is missing, null, empty or blank; it is never a"
            + " duplicate. fail (the default): name it, leave it out, go on, and end with exit code"
            + " 3. pass: let it through. Anything else is a file to put it in."
      })
  private String missingKey = "fail";

  @Option(
      names = "--bad-record",
      paramLabel = "fail|pass|FILE",
      completionCandidates = Choice.Policies.class,
      description = {"The same for a record that cannot be read or is longer than --max-record."})
  private String badRecord = "fail";

  @Mixin private KeepOptions keep = new KeepOptions();

  @Option(
      names = "--window",
      paramLabel = "TIME",
      description = {
        "Remember a key for this long after it arrived first, as in 90s, 15m, 24h or 7d; this bounds"
            + " the memory. Without it, keys are remembered until the end or, with --state or"
            + " --store, for good (a hundred years)."
      })
  private @Nullable Duration window;

  @Option(
      names = "--time",
      paramLabel = "EXPR",
      description = {
        "The window goes by this field of the records, a pointer or column as for --key, and not by"
            + " when they arrive: ISO 8601, or a number of seconds or milliseconds since 1970."
      })
  private @Nullable String time;

  @Option(
      names = "--late",
      paramLabel = "pass|drop|FILE",
      completionCandidates = Choice.LatePolicies.class,
      description = {
        "What to do with a record whose time is a whole window behind the latest one: its key may"
            + " have been forgotten. pass (the default): let it through. drop: leave it out. Anything"
            + " else is a file to put it in."
      })
  private @Nullable String late;

  @Option(
      names = "--approximate",
      paramLabel = "RATE",
      converter = Amounts.ErrorRate.class,
      description = {
        "Keep about two bytes a key in a Bloom filter, not the key's fingerprint: no duplicate"
            + " passes, but up to this part of the new records, as 0.001, may be taken for"
            + " duplicates."
      })
  private @Nullable Double approximate;

  @Option(
      names = "--stats",
      paramLabel = "text|json|none",
      completionCandidates = Choice.StatsKinds.class,
      description = "How to say at the end, on standard error, what was done: text (the default).")
  private Stats stats = Stats.TEXT;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Override
  public Integer call() {
    long startedNanos = System.nanoTime();
    checkOptions();
    List<Input> inputs = inputs();
    Rejects missing = Rejects.missingKeys(missingKey, this::complain);
    Rejects bad = Rejects.badRecords(badRecord, this::complain);
    Rejects tooLate = Rejects.late(late == null ? "pass" : late);
    RecordReader reader = new RecordReader(inputs, input.settings(input.format(), keys));
    EventClock clock = time == null ? null : new EventClock();
    KeyExpressions expressions = new KeyExpressions(keys, time);
    try (SeenKeys seen = open(expressions, clock);
        Outputs outputs = new Outputs(inputs, seen.marks())) {
      RecordWriter first = out == null ? outputs.standardOutput() : outputs.file("--out", out);
      RecordWriter repeats =
          duplicates == null ? null : outputs.sideFile("--duplicates", duplicates);
      missing.open(outputs, first);
      bad.open(outputs, first, missing);
      tooLate.open(outputs, first, missing, bad);
      Destinations to = new Destinations(first, repeats, missing, bad, tooLate);
      Counts counts;
      try (ProgressDisplay.Ending progress = ProgressDisplay.of(reader.progress())) {
        counts =
            new Dedup(seen, window == null ? FOR_EVER : window, clock, to)
                .run(reader, expressions, outputs);
      }
      tell(
          counts,
          seen.estimatedErrorRate(),
          reader.progress().bytes(),
          System.nanoTime() - startedNanos);
      seen.requireKept();
    } catch (StoreException e) {
      boolean memoryIsFull = !keep.isGiven() && e.kind() == StoreException.Kind.FULL;
      throw memoryIsFull
          ? Failure.tooManyKeys(capacity(), "forget keys with --window")
          : Failure.store(e);
    } catch (ReaderGoneException e) {
      Rejects.refuse(missing, bad);
      throw e;
    }
    Rejects.refuse(missing, bad);
    return ExitCode.FINE.number();
  }

  private void checkOptions() {
    if (time != null && window == null) {
      throw Failure.usage("--time needs --window, which says for how long a key is remembered");
    }
    if (approximate != null && keep.isGiven()) {
      throw Failure.usage("--approximate keeps no state; leave out that, or --state or --store");
    }
    keep.check(time != null);
    if (late != null && time == null) {
      throw Failure.usage("--late needs --time: by arrival, no record is late");
    }
  }

  private void tell(Counts counts, OptionalDouble errorRate, long bytes, long nanos) {
    String line = stats.line(counts, bytes, nanos, errorRate);
    if (stats == Stats.JSON) {
      say(line);
    } else if (!line.isEmpty()) {
      complain(line);
      keep.afterUse().forEach(it -> complain(it.topic() + ": " + it.sentence()));
    }
  }

  private SeenKeys open(KeyExpressions expressions, @Nullable EventClock clock) {
    if (approximate != null) {
      return keysInFilter(approximate, clock == null ? Time.system() : clock);
    }
    return keep.open(expressions, clock, this::complain).orElseGet(() -> keysInMemory(clock));
  }

  private static KeysInMemory keysInMemory(@Nullable EventClock clock) {
    return new KeysInMemory(
        MemoryStore.builder()
            .capacity(capacity())
            .purgeGrace(Duration.ZERO)
            .forgetful()
            .time(clock == null ? Time.system() : clock)
            .build());
  }

  private List<Input> inputs() {
    if (files.isEmpty()) {
      return List.of(Input.standardInput());
    }
    List<Input> inputs = files.stream().map(FileName::path).map(Input::named).toList();
    Input.check(inputs);
    return inputs;
  }

  /** Makes the filter, and says aloud what it may cost. */
  private KeysInFilter keysInFilter(double errorRate, Time clock) {
    if (window != null
        && (window.compareTo(KeysInFilter.MIN_WINDOW) < 0
            || window.compareTo(KeysInFilter.MAX_WINDOW) > 0)) {
      throw Failure.usage("with --approximate, --window may be from 10ms to 3660d");
    }
    complain(
        "--approximate: up to %s %% of the new records may be taken for duplicates"
            .formatted(
                BigDecimal.valueOf(errorRate)
                    .movePointRight(2)
                    .stripTrailingZeros()
                    .toPlainString()));
    return window == null
        ? KeysInFilter.unbounded(errorRate)
        : KeysInFilter.ofWindow(errorRate, window, clock);
  }

  /** Returns how many keys fit into the memory that Java may use. */
  private static long capacity() {
    return Math.max(100_000, (Runtime.getRuntime().maxMemory() - OTHER_HEAP_BYTES) / KEY_BYTES);
  }

  private void complain(String sentence) {
    say("onlyonce: " + sentence);
  }

  private void say(String line) {
    spec.commandLine().getErr().println(line);
    spec.commandLine().getErr().flush();
  }
}
