package dev.onlyonce.store.local.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimMachine.Decision;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Combiner;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.KeyHash.Hash;
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
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
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

  /** A frame that has become this long is written before the batch goes on. */
  private static final int LONG_FRAME = 4 << 20;

  private static final System.Logger LOG = System.getLogger(LocalEngine.class.getName());

  private final AutoCloseable directoryLock;
  private final LocalView view;
  private final ClaimMachine machine;
  private final StoreClock clock;
  private final Housekeeping housekeeping;
  private final Combiner<Object, Object> combiner = new Combiner<>(this::carryOut, BATCH, QUEUE);
  private final ReentrantLock turn = new ReentrantLock();
  private final Executor background;

  // Guarded by the turn.
  private @Nullable StoreException failure;
  private @Nullable Segment hasNotes;
  private final Map<String, byte[]> pendingNotes = new TreeMap<>();

  private LocalEngine(
      LocalView view, Settings settings, Executor background, AutoCloseable directoryLock) {
    this.background = background;
    this.view = view;
    this.directoryLock = directoryLock;
    this.machine = new ClaimMachine(settings.clockTolerance, settings.owner);
    this.clock = new StoreClock(settings.time, view.log.lastMicros(), settings.trustsClock);
    this.housekeeping = new Housekeeping(this, view, Limits.millis(settings.purgeGrace));
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
        return open(
            new FileDisk(directory, true), settings, background, () -> close(background, lock));
      } catch (IOException | RuntimeException | Error e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw cannotOpen(directory.toString(), e);
    }
  }

  private static void close(ExecutorService background, DirectoryLock lock)
      throws IOException, InterruptedException {
    background.shutdown();
    try {
      // What is being written is finished, so that nothing is written when the lock is free.
      background.awaitTermination(1, TimeUnit.MINUTES);
    } finally {
      lock.close();
    }
  }

  static StoreException cannotOpen(String directory, IOException e) {
    boolean isOfNoUse = e instanceof DamagedException || e instanceof NewerFormatException;
    return new StoreException(
        isOfNoUse ? StoreException.Kind.REJECTED : StoreException.Kind.UNAVAILABLE,
        "the local store in " + directory + " cannot be opened: " + sentence(e),
        e);
  }

  /**
   * Opens the store on a disk that nobody else writes on.
   *
   * @param background takes snapshots
   * @param directoryLock closed at the end
   */
  static LocalEngine open(
      Disk disk, Settings settings, Executor background, AutoCloseable directoryLock)
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
        view.log.begin(settings.time.millis() * 1_000);
        view.log.cancel();
        id.write(disk);
      }
      return new LocalEngine(view, settings, background, directoryLock);
    } catch (IOException | RuntimeException | Error e) {
      view.log.close();
      throw e;
    }
  }

  /** Deletes the log of a store that was never made completely. */
  private static void deleteUnfinished(Disk disk) throws IOException {
    for (String file : disk.list()) {
      if (Segment.isSegment(file)) {
        try (Disk.Data data = disk.open(file)) {
          if (Segment.baseOf(file) != 0 || data.size() > Segment.HEADER) {
            throw StoreId.missing();
          }
        }
        disk.delete(file);
      }
    }
  }

  private static String sentence(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  // The verbs. All go through one combiner, so that a sync is shared by whatever is asked.

  /** Claims each key. */
  public List<Answer> claim(List<ClaimRequest> batch) {
    requireNoTransaction();
    return answers(combiner.call(List.copyOf(batch)));
  }

  /** Settles each claim. */
  public List<Held> settle(List<? extends Settlement> batch) {
    requireNoTransaction();
    return answers(combiner.call(List.copyOf(batch)));
  }

  /** Renews each claim. */
  public List<Held> renew(List<Renewal> batch) {
    requireNoTransaction();
    return answers(combiner.call(List.copyOf(batch)));
  }

  /** Who has a transaction open must use it: everybody else waits for its end. */
  private void requireNoTransaction() {
    if (turn.isHeldByCurrentThread()) {
      throw new IllegalStateException(
          "this thread has a transaction of the local store open: use that, or end it first");
    }
  }

  @SuppressWarnings("unchecked") // each item has an answer of its kind, see carryOut
  private static <A> List<A> answers(List<Object> answers) {
    return (List<A>) (List<?>) answers;
  }

  private List<Object> carryOut(List<Object> items) {
    List<Object> answers = new ArrayList<>(items.size());
    inFrames(
        () -> {
          Hash[] hashes = hashes(items);
          for (int i = 0; i < hashes.length; i++) {
            answers.add(decide(items.get(i), hashes[i]));
            if (view.log.frameBytes() > LONG_FRAME) {
              commit();
              begin();
            }
          }
        });
    return answers;
  }

  /** Hashes the keys of a batch, and looks them all up, so that the memory is waited for once. */
  private Hash[] hashes(List<?> items) {
    Hash[] hashes = new Hash[items.size()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = hash(items.get(i));
    }
    view.index.touch(hashes);
    return hashes;
  }

  private Hash hash(Object item) {
    if (item instanceof ClaimRequest request) {
      return view.index.hash(request.scope(), request.key());
    }
    return hash(item instanceof Settlement settled ? settled.claim() : ((Renewal) item).claim());
  }

  private Hash hash(Claim claim) {
    return view.index.hash(claim.scope(), claim.key());
  }

  private Object decide(Object item, Hash hash) {
    long micros = clock.micros();
    try {
      if (item instanceof ClaimRequest request) {
        return claim(request, hash, micros);
      }
      Decision<Held> decision =
          item instanceof Settlement settlement
              ? machine.settle(found(hash), settlement, micros)
              : machine.renew(found(hash), (Renewal) item, micros);
      write(hash, decision.write());
      return decision.answer();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private Answer claim(ClaimRequest request, Hash hash, long micros) throws IOException {
    Index index = view.index;
    Index.Place place = index.find(hash);
    if (place.isFound() && request.expectToken() == ClaimRequest.ANY) {
      boolean mayBeRepeated = request.settleNow() != null;
      long millis = Math.floorDiv(micros, 1_000);
      long age = index.plainAge(place, mayBeRepeated, request.requestId(), millis);
      if (age >= 0) {
        return new Answer.Done(index.plainResult(place), Duration.ofMillis(age), false);
      }
    }
    ClaimRecord found = place.isFound() ? index.record(place) : null;
    Decision<Answer> decision = machine.claim(found, request, micros, view.log.floor());
    write(hash, decision.write());
    return decision.answer();
  }

  private @Nullable ClaimRecord found(Hash hash) throws IOException {
    Index.Place place = view.index.find(hash);
    return place.isFound() ? view.index.record(place) : null;
  }

  private void write(Hash hash, @Nullable ClaimRecord record) {
    if (record != null) {
      log(hash, record);
    }
  }

  /** Writes a version into the frame. */
  void log(Hash hash, ClaimRecord record) {
    view.index.put(hash, record, view.log.add(record));
  }

  // Frames.

  /** Commits what the work decides; what it has not committed itself is undone if it fails. */
  void inFrames(Runnable work) {
    turn.lock();
    try {
      begin();
      work.run();
      commit();
    } catch (RuntimeException | Error e) {
      rollback();
      throw e;
    } finally {
      turn.unlock();
    }
  }

  private void begin() {
    if (failure != null) {
      throw failure;
    }
    try {
      Segment before = view.log.last();
      boolean rolled = view.log.begin(clock.micros());
      if (rolled && before != null) {
        takeSnapshot(before);
      }
      if (view.log.last() != hasNotes) {
        // Notes are carried on from segment to segment.
        view.notes.forEach(view.log::addNote);
      }
      view.index.begin();
    } catch (NoRoomException e) {
      throw full(e);
    } catch (IOException e) {
      throw fail(e);
    }
  }

  private void commit() {
    if (failure != null) {
      throw failure;
    }
    if (view.log.isFrameEmpty()) {
      view.log.cancel();
      view.index.commit();
      return;
    }
    try {
      view.log.allocate();
    } catch (NoRoomException e) {
      throw full(e);
    } catch (IOException e) {
      throw fail(e);
    }
    try {
      view.log.commit(clock.micros());
    } catch (IOException e) {
      throw fail(e);
    }
    hasNotes = view.log.last();
    view.index.commit();
  }

  /** Undoes what was decided and not committed. */
  private void rollback() {
    if (failure == null && view.index.isChanging()) {
      view.index.rollback();
      view.log.cancel();
    }
  }

  private static StoreException full(NoRoomException e) {
    return new StoreException(
        StoreException.Kind.FULL, "the local store is full: " + sentence(e), e);
  }

  /** The disk has failed: what it holds now is not known, so nothing is answered any more. */
  StoreException fail(IOException e) {
    failure =
        new StoreException(
            StoreException.Kind.UNAVAILABLE,
            "the local store in %s has failed and must be opened anew: %s"
                .formatted(view.disk, sentence(e)),
            e);
    return failure;
  }

  StoreException unreadable(IOException e) {
    return e instanceof DamagedException
        ? new StoreException(StoreException.Kind.REJECTED, "the local store: " + sentence(e), e)
        : fail(e);
  }

  /** Tells whether a segment before the last one has the notes, which are in none behind it. */
  boolean areNotesBehind() {
    return !view.notes.isEmpty() && view.log.last() != hasNotes;
  }

  // Transactions.

  /** Keeps all others waiting until the transaction is committed or rolled back. */
  public void beginTransaction() {
    requireNoTransaction();
    turn.lock();
    try {
      begin();
    } catch (RuntimeException | Error e) {
      turn.unlock();
      throw e;
    }
  }

  /** Claims in the open transaction. */
  public List<Answer> claimInTransaction(List<ClaimRequest> batch) {
    return answers(decideInTransaction(batch));
  }

  /** Settles in the open transaction. */
  public List<Held> settleInTransaction(List<? extends Settlement> batch) {
    return answers(decideInTransaction(batch));
  }

  private List<Object> decideInTransaction(List<?> batch) {
    Hash[] hashes = hashes(batch);
    List<Object> answers = new ArrayList<>(hashes.length);
    for (int i = 0; i < hashes.length; i++) {
      if (view.log.frameBytes() > Log.MAX_FRAME_BYTES - (1 << 20)) {
        throw new StoreException(
            StoreException.Kind.REJECTED,
            "the transaction is too large: %,d bytes; commit it in parts"
                .formatted(view.log.frameBytes()));
      }
      answers.add(decide(batch.get(i), hashes[i]));
    }
    return answers;
  }

  /** Tells whether a claim is held, which only this transaction could change. */
  public boolean holdsInTransaction(Claim claim) {
    try {
      ClaimRecord found = found(hash(claim));
      return found != null && found.state() == ClaimState.CLAIMED && found.token() == claim.token();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Leaves a note in the open transaction. */
  public void noteInTransaction(String name, byte[] value) {
    byte[] copy = value.clone();
    view.log.addNote(name, copy);
    pendingNotes.put(name, copy);
  }

  /** Commits the open transaction. */
  public void commitTransaction() {
    try {
      commit();
      view.notes.putAll(pendingNotes);
    } catch (RuntimeException | Error e) {
      rollback();
      throw e;
    } finally {
      pendingNotes.clear();
      turn.unlock();
    }
  }

  /** Undoes the open transaction. */
  public void rollbackTransaction() {
    pendingNotes.clear();
    rollback();
    turn.unlock();
  }

  /** Returns the note of this name. */
  public Optional<byte[]> note(String name) {
    return reading(() -> Optional.ofNullable(view.notes.get(name)).map(byte[]::clone));
  }

  // Reading.

  /** Something to do while nobody else is at it. */
  interface Reading<T> {
    T read() throws IOException;
  }

  <T> T reading(Reading<T> reading) {
    turn.lock();
    try {
      if (failure != null) {
        throw failure;
      }
      return reading.read();
    } catch (IOException e) {
      throw unreadable(e);
    } finally {
      turn.unlock();
    }
  }

  long nowMillis() {
    return clock.micros() / 1_000;
  }

  /** Returns the record of a key. */
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return reading(() -> Optional.ofNullable(view.find(scope, key, nowMillis())));
  }

  /** Returns a page of records. */
  public Page list(Query query, @Nullable String cursor) {
    long from = LocalView.place(cursor);
    return reading(() -> view.list(query, from, nowMillis(), machine));
  }

  /** Returns the store's time. */
  public long millis() {
    return reading(this::nowMillis);
  }

  /** Returns the versions of a record. */
  public List<ClaimRecord> history(Scope scope, Key key) {
    requireNoTransaction();
    return housekeeping.history(scope, key);
  }

  /** Counts the records of each state. */
  public Map<ClaimState, Long> totals() {
    return reading(() -> view.totals(nowMillis()));
  }

  /** Returns the scopes that there may be records of. */
  public Set<Scope> scopes() {
    return reading(view::scopes);
  }

  /** Forgets up to so many settled records, and frees segments of which little is needed. */
  public int purge(int limit) {
    requireNoTransaction();
    return housekeeping.purge(limit);
  }

  /** Writes what was not synced, and lets the directory go. */
  public void close() {
    turn.lock();
    try {
      if (isClosed()) {
        return;
      }
      if (failure == null) {
        view.log.sync();
      }
    } catch (IOException e) {
      LOG.log(Level.WARNING, "the local store may have lost its last moments", e);
    } finally {
      release();
      turn.unlock();
    }
  }

  private boolean isClosed() {
    return failure != null && failure.kind() == StoreException.Kind.CLOSED;
  }

  private void release() {
    if (isClosed()) {
      return;
    }
    failure = new StoreException(StoreException.Kind.CLOSED, "the local store has been closed");
    try {
      directoryLock.close();
      view.log.close();
    } catch (Exception e) {
      LOG.log(Level.WARNING, "the local store's files could not be closed", e);
    }
  }
}
