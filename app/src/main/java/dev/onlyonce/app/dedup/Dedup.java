package dev.onlyonce.app.dedup;

import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.input.Problem;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.app.output.RecordWriter;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the first record of each key on, in the order of the input, and sorts out the rest.
 *
 * <p><b>Guarantee.</b> Every record goes to exactly one place: the output, the duplicates (or
 * nowhere, if these are not wanted), or where its treatment says. A record goes to the output
 * before anything later does. When the run fails, all records before the failure are where they
 * belong.
 *
 * <p>Reading and finding keys happen on a second thread; this class is used by one.
 */
public final class Dedup {

  private static final Scope SCOPE = Scope.of("dedup");
  private static final int PURGE_BATCH = 10_000;

  private final ClaimStore store;
  private final Duration window;
  private final Places places;
  private final Treatment missingKey;
  private final Treatment badRecord;
  private final Consumer<String> complain;
  private long nextRequestId = ThreadLocalRandom.current().nextLong();
  private boolean overLongRefused;

  private long records;
  private long passed;
  private long duplicates;
  private long withoutKey;
  private long bad;
  private long blank;

  /**
   * Where records go.
   *
   * @param out first records
   * @param duplicates later ones; null to drop them
   * @param missingKey records without a key, if they go to a file
   * @param badRecord damaged records, if they go to a file
   */
  public record Places(
      RecordWriter out,
      @Nullable RecordWriter duplicates,
      @Nullable RecordWriter missingKey,
      @Nullable RecordWriter badRecord) {}

  /**
   * @param store remembers the keys
   * @param window how long a key is remembered
   * @param complain takes a sentence about a record that is left out while the run goes on
   */
  public Dedup(
      ClaimStore store,
      Duration window,
      Places places,
      Treatment missingKey,
      Treatment badRecord,
      Consumer<String> complain) {
    this.store = store;
    this.window = window;
    this.places = places;
    this.missingKey = missingKey;
    this.badRecord = badRecord;
    this.complain = complain;
  }

  /**
   * Reads all there is.
   *
   * @param expressions name the key, see {@link RecordKeys}
   * @param outputs begun when the first records are there, and flushed when the input pauses
   * @throws Failure at the first record that is refused, and if anything cannot be read or written
   */
  public Counts run(RecordReader reader, List<String> expressions, Outputs outputs) {
    try (ReadAhead ahead = new ReadAhead(reader, expressions)) {
      KeyedBatch batch = next(ahead);
      refuse(batch.failure);
      outputs.begin();
      batch.header.ifPresent(this::writeHeader);
      while (!batch.last) {
        sort(batch);
        if (batch.records.mayWait()) {
          outputs.flush();
        }
        store.purge(PURGE_BATCH);
        ahead.giveBack(batch);
        batch = next(ahead);
        refuse(batch.failure);
      }
    } finally {
      outputs.flush();
    }
    if (overLongRefused) {
      throw Failure.badInput(
          "some records were longer than --max-record allows and were left out, all others are"
              + " done; raise --max-record, or say with --bad-record what is to become of them");
    }
    return counts();
  }

  private static KeyedBatch next(ReadAhead ahead) {
    try {
      return ahead.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Failure.badInput("interrupted");
    }
  }

  private static void refuse(@Nullable RuntimeException failure) {
    if (failure != null) {
      throw failure;
    }
  }

  private void writeHeader(Header header) {
    places.out.write(header);
    if (places.duplicates != null) {
      places.duplicates.write(header);
    }
    if (places.missingKey != null) {
      places.missingKey.write(header);
    }
  }

  /** Claims the keys of a batch and writes its records, up to the first that is refused. */
  private void sort(KeyedBatch batch) {
    int refused = firstRefused(batch);
    List<Answer> answers = claim(batch, refused);
    int claimed = 0;
    for (int i = 0; i < refused; i++) {
      Extracted key = batch.key(i);
      if (key instanceof Keyed) {
        sortKeyed(batch.records, i, answers.get(claimed++));
      } else {
        sortOther(batch.records, i, (Unkeyed) key);
      }
    }
    if (refused < batch.records.size()) {
      throw refusal(batch.records, refused, batch.key(refused));
    }
  }

  private int firstRefused(KeyedBatch batch) {
    int entry = 0;
    while (entry < batch.records.size() && !isRefused(batch.records, entry, batch.key(entry))) {
      entry++;
    }
    return entry;
  }

  private boolean isRefused(RecordBatch batch, int entry, @Nullable Extracted key) {
    if (key instanceof Keyed || batch.problem(entry) == Problem.OVER_LONG) {
      return false;
    }
    if (key instanceof Unkeyed unkeyed && unkeyed.reason() != Reason.UNDECODABLE) {
      return missingKey.kind() == Treatment.Kind.FAIL;
    }
    boolean damaged = key != null || !batch.isPlain(entry);
    return damaged && badRecord.kind() == Treatment.Kind.FAIL;
  }

  private static Failure refusal(RecordBatch batch, int entry, @Nullable Extracted key) {
    if (key instanceof Unkeyed unkeyed && unkeyed.reason() != Reason.UNDECODABLE) {
      return Failure.badInput(
          batch.place(entry)
              + ": the record has no key: "
              + unkeyed.detail()
              + "; say with --missing-key what is to become of such records");
    }
    String problem =
        key instanceof Unkeyed unkeyed
            ? "cannot be read: " + unkeyed.detail()
            : batch.problem(entry).sentence();
    return Failure.badInput(
        batch.place(entry)
            + ": the record "
            + problem
            + "; say with --bad-record what is to become of such records");
  }

  private List<Answer> claim(KeyedBatch batch, int end) {
    List<Answer> answers = new ArrayList<>(end);
    List<ClaimRequest> requests = new ArrayList<>(Limits.BATCH);
    for (int i = 0; i < end; i++) {
      if (batch.key(i) instanceof Keyed keyed) {
        requests.add(request(keyed));
        if (requests.size() == Limits.BATCH) {
          answers.addAll(store.claim(requests));
          requests.clear();
        }
      }
    }
    if (!requests.isEmpty()) {
      answers.addAll(store.claim(requests));
    }
    return answers;
  }

  private ClaimRequest request(Keyed keyed) {
    return new ClaimRequest(
        SCOPE,
        keyed.key(),
        nextRequestId++,
        null,
        Limits.LEASE,
        window,
        Lapse.TAKE,
        Result.NONE,
        ClaimRequest.ANY);
  }

  private void sortKeyed(RecordBatch batch, int entry, Answer answer) {
    records++;
    if (answer instanceof Answer.Claimed) {
      passed++;
      places.out.write(batch, entry);
    } else {
      duplicates++;
      write(places.duplicates, batch, entry);
    }
  }

  private void sortOther(RecordBatch batch, int entry, @Nullable Unkeyed unkeyed) {
    records += batch.part(entry).begins() ? 1 : 0;
    if (unkeyed != null && unkeyed.reason() != Reason.UNDECODABLE) {
      withoutKey++;
      write(
          missingKey.kind() == Treatment.Kind.PASS ? places.out : places.missingKey, batch, entry);
    } else if (unkeyed == null && batch.isPlain(entry)) {
      blank++;
      places.out.write(batch, entry);
    } else {
      sortBad(batch, entry);
    }
  }

  private void sortBad(RecordBatch batch, int entry) {
    bad += batch.part(entry).begins() ? 1 : 0;
    if (badRecord.kind() != Treatment.Kind.FAIL) {
      write(badRecord.kind() == Treatment.Kind.PASS ? places.out : places.badRecord, batch, entry);
    } else if (batch.part(entry).begins()) {
      overLongRefused = true;
      complain.accept(
          batch.place(entry) + ": the record " + batch.problem(entry).sentence() + "; left out");
    }
  }

  private static void write(@Nullable RecordWriter writer, RecordBatch batch, int entry) {
    if (writer != null) {
      writer.write(batch, entry);
    }
  }

  /** Returns what became of the records so far. */
  public Counts counts() {
    return new Counts(records, passed, duplicates, withoutKey, bad, blank);
  }
}
