package dev.onlyonce.store.local.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Combiner;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A local store at work: one thread at a time decides about a batch, writes its records as one
 * frame, syncs it, and only then are the callers answered. Safe for use by several threads.
 */
public final class LocalEngine {

  /** What a store is opened with; the defaults are in {@code LocalStore.Builder}. */
  public static final class Settings {
    public String owner = "local";
    public Duration purgeGrace = Limits.PURGE_GRACE;
    public Duration clockTolerance = Duration.ZERO;
    public int segmentBytes = 64 << 20;
    public boolean syncs = true;
    public boolean trustsClock;
    public Time time = Time.system();

    /** The defaults. */
    public Settings() {}
  }

  private static final int BATCH = 20_000;
  private static final int QUEUE = 200_000;

  private static final System.Logger LOG = System.getLogger(LocalEngine.class.getName());

  private final Hold hold;
  private final LocalView view;
  private final ClaimMachine machine;
  private final StoreClock clock;
  private final Frames frames;
  private final Decider decider;
  private final Housekeeping housekeeping;
  private final Combiner<Object, Object> combiner = new Combiner<>(this::carryOut, BATCH, QUEUE);
  private final Executor background;

  private LocalEngine(LocalView view, Settings settings, Executor background, Hold hold) {
    this.background = background;
    this.view = view;
    this.hold = hold;
    this.machine = new ClaimMachine(settings.clockTolerance, settings.owner);
    this.clock = new StoreClock(settings.time, view.log.lastMicros(), settings.trustsClock);
    this.frames = new Frames(view, clock, hold, this::takeSnapshot);
    this.decider = new Decider(frames, view, machine, clock);
    this.housekeeping = new Housekeeping(frames, view, clock, Limits.millis(settings.purgeGrace));
    view.withoutSnapshot.forEach(this::takeSnapshot);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "onlyonce-snapshots");
    thread.setDaemon(true);
    return thread;
  }

  private void takeSnapshot(Segment sealed) {
    background.execute(
        () -> {
          try {
            view.snapshots.write(view.log, sealed);
          } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, "no snapshot of " + sealed.fileName() + ", it will be read", e);
          }
        });
  }

  /** Opens the store in a directory, or makes it. */
  public static LocalEngine open(Path directory, Settings settings) {
    try {
      Files.createDirectories(directory);
      DirectoryLock lock = DirectoryLock.take(directory);
      try {
        ExecutorService background = Executors.newSingleThreadExecutor(LocalEngine::daemon);
        Hold both = new HoldWithSnapshots(lock, background);
        return open(new FileDisk(directory, true), settings, background, both);
      } catch (IOException | RuntimeException | Error e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw cannotOpen(directory.toString(), e);
    }
  }

  /** What is being written is finished first, so that nothing is written when the lock is free. */
  private record HoldWithSnapshots(Hold lock, ExecutorService background) implements Hold {
    @Override
    public void require(long micros) throws IOException {
      lock.require(micros);
    }

    @Override
    public void close() throws IOException {
      background.shutdown();
      boolean interrupted = Thread.interrupted();
      try {
        while (true) {
          try {
            background.awaitTermination(1, TimeUnit.MINUTES);
            return;
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } finally {
        lock.close();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  static StoreException cannotOpen(String directory, IOException cause) {
    IOException e = NotWrittenException.withRemedy(directory, cause);
    return new StoreException(
        kind(e), "the local store in " + directory + " cannot be opened: " + Frames.sentence(e), e);
  }

  private static StoreException.Kind kind(IOException e) {
    if (e instanceof DamagedException || e instanceof NewerFormatException) {
      return StoreException.Kind.REJECTED;
    }
    return e instanceof NotWrittenException refused && refused.isFull()
        ? StoreException.Kind.FULL
        : StoreException.Kind.UNAVAILABLE;
  }

  /**
   * Opens the store on a disk that nobody else writes on.
   *
   * @param background takes snapshots
   * @param hold closed at the end
   */
  static LocalEngine open(Disk disk, Settings settings, Executor background, Hold hold)
      throws IOException {
    StoreId found = StoreId.of(disk);
    StoreId id = found == null ? StoreId.random() : found;
    if (found == null) {
      deleteUnfinished(disk);
    }
    // A process that ended may have made files whose names were not synced.
    disk.sync();
    Snapshot.deleteWithoutSegment(disk);
    Log.Settings logSettings =
        new Log.Settings(id.id(), settings.segmentBytes, settings.syncs, true);
    LocalView view = LocalView.open(disk, id, logSettings);
    try {
      if (found == null) {
        // The log comes first, so that a store without one has lost it.
        view.log.begin(settings.time.millis() * 1_000, false);
        view.log.cancel();
        id.write(disk);
      }
      return new LocalEngine(view, settings, background, hold);
    } catch (IOException | RuntimeException | Error e) {
      view.log.close();
      throw e;
    }
  }

  /** Deletes the log of a store that was never made completely. */
  private static void deleteUnfinished(Disk disk) throws IOException {
    for (String file : disk.list()) {
      if (Segment.isSegment(file)) {
        if (!isUnfinished(disk, file)) {
          throw StoreId.missing();
        }
        disk.delete(file);
      }
    }
  }

  /** Tells whether a segment is of a store that was never made completely: it says nothing yet. */
  static boolean isUnfinished(Disk disk, String segment) throws IOException {
    Bytes content = new Bytes(0);
    try (Disk.Data data = disk.open(segment)) {
      content.readAll(data);
    }
    return Segment.baseOf(segment) == 0 && content.isZero(Segment.HEADER);
  }

  // The verbs. All go through one combiner, so that a sync is shared by whatever is asked.

  /** Claims each key. */
  public List<Answer> claim(List<ClaimRequest> batch) {
    frames.requireNoneOpen();
    return answers(combiner.call(List.copyOf(batch)));
  }

  /** Settles each claim. */
  public List<Held> settle(List<? extends Settlement> batch) {
    frames.requireNoneOpen();
    return answers(combiner.call(List.copyOf(batch)));
  }

  /** Renews each claim. */
  public List<Held> renew(List<Renewal> batch) {
    frames.requireNoneOpen();
    return answers(combiner.call(List.copyOf(batch)));
  }

  @SuppressWarnings("unchecked") // each item has an answer of its kind, see Decider
  static <A> List<A> answers(List<Object> answers) {
    return (List<A>) (List<?>) answers;
  }

  private List<Object> carryOut(List<Object> items) {
    List<Object> answers = new ArrayList<>(items.size());
    frames.write(() -> answers.addAll(decider.decide(items, frames::cut)));
    return answers;
  }

  /** Begins a transaction: all others wait until it is ended. */
  public Transaction begin() {
    frames.requireNoneOpen();
    return new Transaction(frames, view, decider);
  }

  /** Returns the note of this name. */
  public Optional<byte[]> note(String name) {
    return frames.reading(() -> Optional.ofNullable(view.notes.get(name)).map(byte[]::clone));
  }

  // Reading.

  /** Returns the record of a key. */
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return frames.reading(() -> Optional.ofNullable(view.find(scope, key, clock.millis())));
  }

  /** Returns a page of records. */
  public Page list(Query query, @Nullable String cursor) {
    long from = LocalView.place(cursor);
    return frames.reading(() -> view.list(query, from, clock.millis(), machine));
  }

  /** Returns the store's time. */
  public long millis() {
    return frames.reading(clock::millis);
  }

  /** Returns the versions of a record. */
  public List<ClaimRecord> history(Scope scope, Key key) {
    frames.requireNoneOpen();
    return housekeeping.history(scope, key);
  }

  /** Counts the records of each state. */
  public Map<ClaimState, Long> totals() {
    return frames.reading(() -> view.totals(clock.millis()));
  }

  /** Returns the scopes that there may be records of. */
  public Set<Scope> scopes() {
    return frames.reading(view::scopes);
  }

  /** Forgets up to so many settled records, and frees segments of which little is needed. */
  public int purge(int limit) {
    frames.requireNoneOpen();
    return housekeeping.purge(limit);
  }

  /** Writes what was not synced, and lets the directory go. */
  public void close() {
    try {
      if (!frames.close()) {
        return;
      }
    } catch (IOException e) {
      LOG.log(Level.WARNING, "the local store may have lost its last moments", e);
    }
    try {
      hold.close();
      view.log.close();
    } catch (IOException e) {
      LOG.log(Level.WARNING, "the local store's files could not be closed", e);
    }
  }
}
