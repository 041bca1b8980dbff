package dev.onlyonce.app.dedup;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.RecordBatch;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.app.output.Outputs;
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
import java.util.BitSet;
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
  private static final int FIRST_BYTES = 1_024;

  private final SeenKeys seen;
  private final Duration window;
  private final @Nullable EventClock clock;
  private final Destinations to;
  private long nextRequestId = ThreadLocalRandom.current().nextLong();

  /**
   * The entries of a batch that have a key, and none that counts: they are late, or have no time.
   */
  private final BitSet unclaimed = new BitSet();

  private boolean midRecord;
  private long deliveredBefore;
  private long records;
  private long passed;
  private long passedAtPurge;
  private long live;
  private long duplicates;
  private long blank;
  private long resumed;

  /**
   * @param seen remembers the keys
   * @param window how long a key is remembered
   * @param clock the time in the records, by which {@code seen} goes too; null if their arrival
   *     counts
   * @param to where records go
   */
  public Dedup(SeenKeys seen, Duration window, @Nullable EventClock clock, Destinations to) {
    this.seen = seen;
    this.window = window;
    this.clock = clock;
    this.to = to;
  }

  /**
   * Reads all there is.
   *
   * @param reader is closed at the end
   * @param expressions name the key and the time
   * @param outputs begun when the first records are there, flushed when the input pauses and at the
   *     end
   * @throws Failure if anything cannot be read or written; what was written before is flushed when
   *     the outputs are closed. Records that the policies leave out are for the caller to refuse,
   *     see {@link Rejects#refuse}
   */
  public Counts run(RecordReader reader, KeyExpressions expressions, Outputs outputs) {
    try {
      passAll(reader, expressions, outputs);
      return counts();
    } catch (RuntimeException | Error e) {
      seen.endEarly(passed);
      throw e;
    }
  }

  private void passAll(RecordReader reader, KeyExpressions expressions, Outputs outputs) {
    try (ReadAhead ahead = new ReadAhead(reader, expressions)) {
      KeyedBatch batch = ahead.take();
      deliveredBefore = seen.begin(outputs, digestOfFirst(batch), batch.layout);
      batch.header.ifPresent(to::write);
      while (!batch.last) {
        sort(batch, outputs);
        ahead.giveBack(batch);
        if (!ahead.isReady() || seen.isDue() || isPurgeDue()) {
          flush(outputs, false);
        }
        batch = ahead.take();
      }
    }
    flush(outputs, true);
  }

  /** Of a record that comes in parts, only as much counts as every first part has. */
  private static byte[] digestOfFirst(KeyedBatch batch) {
    RecordBatch read = batch.records;
    if (batch.last || read.size() == 0) {
      return new byte[0];
    }
    int length = read.contentEnd(0) - read.start(0);
    int counted = read.isPlain(0) ? length : Math.min(length, FIRST_BYTES);
    return Key.digestOf(read.bytes(), read.start(0), counted).toBytes();
  }

  private void flush(Outputs outputs, boolean isEnd) {
    outputs.flush();
    if (midRecord) {
      return; // what is remembered must not end in the middle of a record
    }
    seen.written(records, isEnd);
    if (isPurgeDue()) {
      live += passed - passedAtPurge - seen.forget();
      passedAtPurge = passed;
    }
  }

  /**
   * Tells whether the store is to forget what is older than the window. That may take a look at all
   * it has, so it is done when the keys have grown by half since the last time.
   */
  private boolean isPurgeDue() {
    return passed - passedAtPurge >= Math.max(LEAST_PURGE, live / 2);
  }

  /** Claims the keys of a batch, as many at once as a store takes, and writes its records. */
  private void sort(KeyedBatch batch, Outputs outputs) {
    unclaimed.clear();
    List<ClaimRequest> requests = new ArrayList<>(Limits.BATCH);
    int from = 0;
    for (int i = 0; i < batch.records.size(); i++) {
      if (batch.key(i) instanceof Keyed keyed) {
        if (movesClock(batch, i)) {
          sort(batch, from, i, claim(requests));
          requests.clear();
          from = i;
        }
        if (isJudged(batch, i)) {
          requests.add(request(keyed, retention(batch, i)));
        } else {
          unclaimed.set(i);
        }
      }
      if (requests.size() == Limits.BATCH || i + 1 == batch.records.size()) {
        sort(batch, from, i + 1, claim(requests));
        requests.clear();
        from = i + 1;
        midRecord = !batch.records.part(i).ends();
        if (seen.mustBeWritten()) {
          flush(outputs, false);
        }
      }
    }
  }

  /** Tells whether the time goes on by this record: what came before is claimed at the old time. */
  private boolean movesClock(KeyedBatch batch, int entry) {
    return clock != null
        && batch.time(entry) instanceof EventTimes.At at
        && at.millis() > clock.millis();
  }

  /** Takes a record's time into account; tells whether its key can be compared with others. */
  private boolean isJudged(KeyedBatch batch, int entry) {
    if (clock == null) {
      return true;
    }
    if (!(batch.time(entry) instanceof EventTimes.At at)) {
      return false;
    }
    clock.see(at.millis());
    return at.millis() > clock.millis() - window.toMillis();
  }

  /** Returns how long a key is remembered from now on: by its own time, it may have come late. */
  private Duration retention(KeyedBatch batch, int entry) {
    return clock != null && batch.time(entry) instanceof EventTimes.At at
        ? window.minusMillis(clock.millis() - at.millis())
        : window;
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
      boolean isClaimed = batch.key(i) instanceof Keyed && !unclaimed.get(i);
      if (isClaimed && claimed == answers.given.size() && answers.full != null) {
        throw answers.full;
      }
      records += batch.records.part(i).begins() ? 1 : 0;
      if (isClaimed) {
        sortKeyed(batch.records, i, answers.given.get(claimed++));
      } else {
        sortOther(batch, i);
      }
    }
  }

  private ClaimRequest request(Keyed keyed, Duration retention) {
    return new ClaimRequest(
        SCOPE,
        keyed.key(),
        nextRequestId++,
        null,
        Limits.LEASE,
        retention,
        Lapse.TAKE,
        Result.NONE,
        ClaimRequest.ANY);
  }

  private void sortKeyed(RecordBatch batch, int entry, Answer answer) {
    if (answer instanceof Answer.Claimed) {
      to.first().write(batch, entry);
      passed++;
    } else if (records <= deliveredBefore) {
      resumed++;
    } else {
      duplicates++;
      if (to.duplicates() != null) {
        to.duplicates().write(batch, entry);
      }
    }
  }

  /** Sorts a record that has no key that counts. */
  private void sortOther(KeyedBatch batch, int entry) {
    Extracted key = batch.key(entry);
    if (key instanceof Keyed) {
      if (batch.time(entry) instanceof EventTimes.None none) {
        take(to.bad(), batch.records, entry, "has no time: " + none.reason());
      } else {
        take(to.late(), batch.records, entry, "is late");
      }
    } else if (key instanceof Unkeyed unkeyed && unkeyed.reason() == Reason.UNDECODABLE) {
      take(to.bad(), batch.records, entry, "cannot be read: " + unkeyed.detail());
    } else if (key instanceof Unkeyed unkeyed) {
      take(to.withoutKey(), batch.records, entry, "has no key: " + unkeyed.detail());
    } else if (!batch.records.isPlain(entry)) {
      take(to.bad(), batch.records, entry, batch.records.problem(entry).sentence());
    } else if (records <= deliveredBefore) {
      resumed++;
    } else {
      blank++;
      to.first().write(batch.records, entry);
    }
  }

  /** Does with a record what the policy for its kind says, unless that was done before. */
  private void take(Rejects policy, RecordBatch batch, int entry, String problem) {
    if (records <= deliveredBefore && !policy.fails()) {
      resumed += batch.part(entry).begins() ? 1 : 0;
    } else {
      policy.take(batch, entry, problem);
    }
  }

  /** Returns what became of the records so far. */
  public Counts counts() {
    return new Counts(
        records,
        passed,
        duplicates,
        to.withoutKey().count(),
        to.bad().count(),
        blank,
        to.late().count(),
        resumed);
  }
}
