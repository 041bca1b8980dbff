package dev.onlyonce.store.local;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.local.internal.LocalObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a {@link LocalStore} without writing, also while another process writes.
 *
 * <p><b>Guarantee.</b> It sees the store as it was at one moment between frames: when it was opened
 * or {@link #refresh() refreshed} last. Nothing in the directory is changed. By its wall clock, or
 * that of the {@linkplain #atLastRecord() last record}, it tells what has expired.
 *
 * <p><b>Thread-safety.</b> Any number of threads, one at a time.
 *
 * <p><b>Failure.</b> {@link dev.onlyonce.spi.StoreException}: REJECTED if there is no store, or it
 * is damaged or of a newer format; UNAVAILABLE if the disk fails.
 */
public final class LocalReader implements ClaimReader, AutoCloseable {

  private final LocalObserver observer;

  private LocalReader(LocalObserver observer) {
    this.observer = observer;
  }

  /** Opens the store in this directory. */
  public static LocalReader open(Path directory) {
    return open(directory, Time.system());
  }

  /** Opens the store in this directory, with other clocks, for tests. */
  public static LocalReader open(Path directory, Time time) {
    return new LocalReader(LocalObserver.open(directory, time));
  }

  /** Takes over what was written since. */
  public void refresh() {
    observer.refresh();
  }

  /**
   * Goes by the time of the store's last record from now on, and not by this machine's clock: for a
   * store whose time comes from elsewhere. Returns this.
   */
  public LocalReader atLastRecord() {
    observer.standStill();
    return this;
  }

  /** Returns the time by which it reads, milliseconds since 1970: never before the last record. */
  public long millis() {
    return observer.millis();
  }

  /** Returns the note of this name that a transaction has left, see {@link LocalTransaction}. */
  public Optional<byte[]> note(String name) {
    return observer.note(name);
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return observer.find(scope, key);
  }

  @Override
  public Page list(Query query, @Nullable String cursor) {
    return observer.list(query, cursor);
  }

  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return observer.history(scope, key);
  }

  @Override
  public Map<ClaimState, Long> totals() {
    return observer.totals();
  }

  @Override
  public Set<Scope> scopes() {
    return observer.scopes();
  }

  @Override
  public void close() {
    observer.close();
  }
}
