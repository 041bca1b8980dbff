package dev.onlyonce.app.dedup;

import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.app.output.RecordWriter;
import dev.onlyonce.app.output.Rejects;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.KeyExtractor.Extracted;
import dev.onlyonce.spi.KeyExtractor.Keyed;
import dev.onlyonce.spi.KeyExtractor.Reason;
import dev.onlyonce.spi.KeyExtractor.Unkeyed;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Passes the first record of each key on, in the order of the input, and sorts out the rest.
 *
 * <p><b>Guarantee.</b> Every record goes to exactly one place: the output, the duplicates (or
 * nowhere, if these are not wanted), or where the policy for its kind says. A record goes to the
 * output before anything later does. When the run fails, all records before the failure are where
 * they belong.
 *
 * <p>Reading and finding keys happen on a second thread; this class is used by one.
 */
public final class Dedup {

  private static final Scope SCOPE = Scope.of("dedup");
  private static final int LEAST_PURGE = 10_000;

  private final SeenKeys seen;
  private final Duration window;
  private final RecordWriter out;
  private final @Nullable RecordWriter repeats;
  private final Rejects missingKeys;
  private final Rejects badRecords;
  private long nextRequestId = ThreadLocalRandom.current().nextLong();

  private long records;
  private long passed;
  private long passedAtPurge;
  private long live;
  private long duplicates;
  private long blank;

  /**
   * @param seen remembers the keys
   * @param window how long a key is remembered
   * @param out takes first records
   * @param repeats takes later ones; null to drop them
   * @param missingKeys what to do with records without a key
   * @param badRecords what to do with records that cannot be read
   */
  public Dedup(
      SeenKeys seen,
      Duration window,
      RecordWriter out,
      @Nullable RecordWriter repeats,
      Rejects missingKeys,
      Rejects badRecords) {
    this.seen = seen;
    this.window = window;
    this.out = out;
    this.repeats = repeats;
    this.missingKeys = missingKeys;
    this.badRecords = badRecords;
  }

  /**
   * Reads all there is.
   *
   * @param reader is closed at the end
   * @param expressions name the key, see {@link RecordKeys}
   * @param outputs begun when the first records are there, flushed when the input pauses and at the
   *     end
   * @throws Failure if anything cannot be read or written; what was written before is flushed when
   *     the outputs are closed. Records that the policies leave out are for the caller to refuse,
   *     see {@link Rejects#refuse}
   */
  public Counts run(RecordReader reader, List<String> expressions, Outputs outputs) {
    try (ReadAhead ahead = new ReadAhead(reader, expressions)) {
      KeyedBatch batch = ahead.take();
      outputs.begin();
      batch.header.ifPresent(this::writeHeader);
      while (!batch.last) {
        sort(batch);
        purgeAtTimes();
        ahead.giveBack(batch);
        if (!ahead.isReady()) {
          flush(outputs);
        }
        batch = ahead.take();
      }
    }
    flush(outputs);
    return counts();
  }

  private void flush(Outputs outputs) {
    outputs.flush();
    seen.written();
  }

  /**
   * Lets the store forget what is older than the window. That may take a look at all it has, so it
   * is done when the keys have grown by half since the last time.
   */
  private void purgeAtTimes() {
    if (passed - passedAtPurge >= Math.max(LEAST_PURGE, live / 2)) {
      live += passed - passedAtPurge - seen.forget();
      passedAtPurge = passed;
    }
  }

  private void writeHeader(Header header) {
    out.write(header);
    if (repeats != null) {
      repeats.write(header);
    }
    missingKeys.write(header);
    badRecords.write(header);
  }

  /** Claims the keys of a batch, as many at once as a store takes, and writes its records. */
  private void sort(KeyedBatch batch) {
    List<ClaimRequest> requests = new ArrayList<>(Limits.BATCH);
    int from = 0;
    for (int i = 0; i < batch.records.size(); i++) {
      if (batch.key(i) instanceof Keyed keyed) {
        requests.add(request(keyed));
      }
      if (requests.size() == Limits.BATCH || i + 1 == batch.records.size()) {
        sort(batch, from, i + 1, claim(requests));
        requests.clear();
        from = i + 1;
      }
    }
  }

  /** What a store has answered, up to where it could not any more. */
  private record Answers(List<Answer> given, @Nullable StoreException full) {}

  private Answers claim(List<ClaimRequest> requests) {
    try {
      return new Answers(requests.isEmpty() ? List.of() : seen.claim(requests), null);
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.FULL) {
        throw e;
      }
    }
    // Some were granted before the store was full: asked again one by one, they are told apart.
    List<Answer> given = new ArrayList<>();
    try {
      for (ClaimRequest request : requests) {
        given.addAll(seen.claim(List.of(request)));
      }
      return new Answers(given, null);
    } catch (StoreException e) {
      return new Answers(given, e);
    }
  }

  private void sort(KeyedBatch batch, int from, int to, Answers answers) {
    int claimed = 0;
    for (int i = from; i < to; i++) {
      Extracted key = batch.key(i);
      if (key instanceof Keyed && claimed == answers.given.size() && answers.full != null) {
        throw answers.full;
      }
      records += batch.records.part(i).begins() ? 1 : 0;
      if (key instanceof Keyed) {
        sortKeyed(batch.records, i, answers.given.get(claimed++));
      } else if (key instanceof Unkeyed unkeyed) {
        sortUnkeyed(batch.records, i, unkeyed);
      } else if (batch.records.isPlain(i)) {
        blank++;
        out.write(batch.records, i);
      } else {
        badRecords.take(batch.records, i, batch.records.problem(i).sentence());
      }
    }
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
    if (answer instanceof Answer.Claimed) {
      passed++;
      out.write(batch, entry);
    } else {
      duplicates++;
      if (repeats != null) {
        repeats.write(batch, entry);
      }
    }
  }

  private void sortUnkeyed(RecordBatch batch, int entry, Unkeyed unkeyed) {
    if (unkeyed.reason() == Reason.UNDECODABLE) {
      badRecords.take(batch, entry, "cannot be read: " + unkeyed.detail());
    } else {
      missingKeys.take(batch, entry, "has no key: " + unkeyed.detail());
    }
  }

  /** Returns what became of the records so far. */
  public Counts counts() {
    return new Counts(records, passed, duplicates, missingKeys.count(), badRecords.count(), blank);
  }
}
