package dev.onlyonce.store.local.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a store's files beside whoever writes them. Safe for use by several threads. */
public final class LocalObserver {

  private static final System.Logger LOG = System.getLogger(LocalObserver.class.getName());

  private static final ClaimMachine MACHINE = new ClaimMachine(Duration.ZERO, "");

  /** How often it begins anew because the writer has dropped a segment meanwhile. */
  private static final int TRIES = 10;

  private final Path directory;
  private final Time time;
  private LocalView view;
  private StoreClock clock;
  private boolean standsStill;
  private boolean closed;

  private LocalObserver(Path directory, Time time) throws IOException {
    this.directory = directory;
    this.time = time;
    this.view = read(directory);
    this.clock = clockOf(view);
  }

  /** Opens the store in a directory. */
  public static LocalObserver open(Path directory, Time time) {
    try {
      return new LocalObserver(directory, time);
    } catch (IOException e) {
      throw LocalEngine.cannotOpen(directory.toString(), e);
    }
  }

  private StoreClock clockOf(LocalView view) {
    return new StoreClock(time, view.log.lastMicros(), true);
  }

  private static LocalView read(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw noStore(directory);
    }
    Disk disk = new FileDisk(directory, false);
    StoreId id = StoreId.of(disk);
    if (id == null) {
      for (String file : disk.list()) {
        if (Segment.isSegment(file) && !LocalEngine.isUnfinished(disk, file)) {
          throw StoreId.missing();
        }
      }
      throw noStore(directory);
    }
    Log.Settings settings = new Log.Settings(id.id(), 1, false, false);
    for (int i = 1; ; i++) {
      try {
        return LocalView.open(disk, id, settings);
      } catch (NoSuchFileException | DamagedException e) {
        if (i == TRIES) {
          throw e;
        }
      }
    }
  }

  /** Tells whether there is a store in a directory, or what was begun of one. */
  public static boolean isStore(Path directory) {
    try {
      return Files.isDirectory(directory)
          && new FileDisk(directory, false)
              .list().stream()
                  .anyMatch(file -> file.equals(StoreId.FILE) || Segment.isSegment(file));
    } catch (IOException e) {
      throw LocalEngine.cannotOpen(directory.toString(), e);
    }
  }

  /**
   * Refuses a directory in which there is no store.
   *
   * @throws StoreException if that is so
   */
  public static void requireStore(Path directory) {
    if (!isStore(directory)) {
      throw noStore(directory);
    }
  }

  private static StoreException noStore(Path directory) {
    return new StoreException(
        StoreException.Kind.REJECTED, "there is no local store in " + directory);
  }

  /** Takes over what was written since. */
  public synchronized void refresh() {
    requireOpen();
    try {
      view.follow(clock.millis());
    } catch (NoSuchFileException | DamagedException e) {
      again(); // the writer may have dropped what this reader has not seen yet
    } catch (IOException e) {
      throw LocalEngine.cannotOpen(directory.toString(), e);
    }
  }

  private void again() {
    try {
      LocalView fresh = read(directory);
      view.log.close();
      view = fresh;
      clock = clockOf(fresh);
    } catch (IOException e) {
      throw LocalEngine.cannotOpen(directory.toString(), e);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new StoreException(StoreException.Kind.CLOSED, "the reader has been closed");
    }
  }

  private interface Reading<T> {
    T read(LocalView view, long nowMillis) throws IOException;
  }

  private synchronized <T> T reading(Reading<T> reading) {
    requireOpen();
    try {
      long now = standsStill ? Math.floorDiv(view.log.lastMicros(), 1_000) : clock.millis();
      return reading.read(view, now);
    } catch (IOException e) {
      throw LocalEngine.cannotOpen(directory.toString(), e);
    }
  }

  /** From now on the time is that of the last frame, and goes on with the next one only. */
  public synchronized void standStill() {
    standsStill = true;
  }

  /** Returns the time by which it reads. */
  public long millis() {
    return reading((read, now) -> now);
  }

  /** Returns the note of this name. */
  public Optional<byte[]> note(String name) {
    return reading((read, now) -> Optional.ofNullable(read.notes.get(name)).map(byte[]::clone));
  }

  /** Returns the record of a key. */
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return reading((read, now) -> Optional.ofNullable(read.find(scope, key, now)));
  }

  /** Returns a page of records. */
  public Page list(Query query, @Nullable String cursor) {
    long from = LocalView.place(cursor);
    return reading((read, now) -> read.list(query, from, now, MACHINE));
  }

  /** Returns the versions of a record. */
  public List<ClaimRecord> history(Scope scope, Key key) {
    return reading(
        (read, now) -> {
          Optional<History> history = read.historyOf(scope, key, now);
          if (history.isEmpty()) {
            return List.of();
          }
          for (Segment segment : read.log.segments()) {
            read.log.scan(segment, history.get());
          }
          return history.get().versions();
        });
  }

  /** Counts the records of each state. */
  public Map<ClaimState, Long> totals() {
    return reading((read, now) -> read.totals(now));
  }

  /** Returns the scopes that there may be records of. */
  public Set<Scope> scopes() {
    return reading((read, now) -> read.scopes());
  }

  /** Closes the files. */
  public synchronized void close() {
    if (!closed) {
      closed = true;
      try {
        view.log.close();
      } catch (IOException e) {
        LOG.log(Level.WARNING, "a file could not be closed", e);
      }
    }
  }
}
