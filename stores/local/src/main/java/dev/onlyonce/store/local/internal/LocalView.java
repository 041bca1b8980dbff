package dev.onlyonce.store.local.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.KeyHash;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a store's files say: the log, and the index and the notes that come of it. Not safe for use
 * by several threads at once.
 */
final class LocalView implements Recovery.Visitor {

  private static final Set<ClaimState> ONLY_CLAIMED = Set.of(ClaimState.CLAIMED);

  final Disk disk;
  final Log log;
  final Index index;
  final Map<String, byte[]> notes = new TreeMap<>();
  final Snapshot snapshots;

  /** Segments that had to be read since there was no snapshot of them. */
  final List<Segment> withoutSnapshot = new ArrayList<>();

  private LocalView(Disk disk, StoreId id, Log.Settings settings) {
    this.disk = disk;
    this.log = new Log(disk, settings);
    this.snapshots = new Snapshot(disk, id);
    this.index = new Index(new KeyHash(id.k0(), id.k1()), log::read, this::count);
  }

  /** Reads a store's files. */
  static LocalView open(Disk disk, StoreId id, Log.Settings settings) throws IOException {
    long closed = CloseMark.read(disk, id.id()); // before the log, which somebody may write
    LocalView view = new LocalView(disk, id, settings);
    try {
      view.index.reserve(view.snapshots.entries());
      Recovery.recover(view.log, view, closed);
      return view;
    } catch (IOException | RuntimeException | Error e) {
      view.log.close();
      throw e;
    }
  }

  /** Takes over what the writer has added since, and closes what it has dropped. */
  void follow(long nowMillis) throws IOException {
    Recovery.follow(log, this);
    List<Segment> gone = log.gone();
    if (gone.stream().anyMatch(segment -> segment.live > 0)) {
      index.forget(nowMillis, Integer.MAX_VALUE); // what expired was not carried forward
    }
    for (Segment segment : gone) {
      if (segment.live == 0) {
        log.letGo(segment);
      }
    }
  }

  private void count(long position, int change) {
    Segment segment = log.segmentOf(position);
    if (segment != null) {
      segment.live += change;
    }
  }

  @Override
  public boolean snapshot(Segment segment, Bytes buffer) throws IOException {
    boolean loaded = snapshots.load(segment, this, buffer);
    if (!loaded) {
      withoutSnapshot.add(segment);
    }
    return loaded;
  }

  @Override
  public LogReader reader(Segment segment) {
    return new LogReader() {
      @Override
      public void record(LoggedRecord record, long position) throws Malformed {
        segment.records++;
        index.put(index.hash(record), record, position);
      }

      @Override
      public void note(String name, byte[] value) {
        notes.put(name, value);
      }
    };
  }

  /** Writes a version into the frame. */
  void log(Hash hash, ClaimRecord record) {
    index.put(hash, record, log.add(record));
  }

  static Key keyOf(ClaimRecord record) {
    return Objects.requireNonNull(record.key(), "a logged record has its key");
  }

  /** Returns the record of a key, null if it is absent or has expired. */
  @Nullable ClaimRecord find(Scope scope, Key key, long nowMillis) throws IOException {
    Index.Place place = index.find(index.hash(scope, key));
    if (!place.isFound() || nowMillis >= index.expiresAt(place)) {
      return null;
    }
    return index.record(place);
  }

  /** Reads the cursor of a listing. */
  static long place(@Nullable String cursor) {
    if (cursor != null && !cursor.matches("[0-9]{1,10}")) {
      throw new IllegalArgumentException(
          "cursor must be one that a listing returned, was '" + cursor + "'");
    }
    return cursor == null ? 0 : Long.parseLong(cursor);
  }

  /**
   * Returns a page of records.
   *
   * @param machine says which records match
   */
  Page list(Query query, long from, long nowMillis, ClaimMachine machine) throws IOException {
    List<ClaimRecord> records = new ArrayList<>();
    long[] next = {from};
    boolean more =
        index.walk(
            from,
            (place, behind) -> {
              if (records.size() == query.limit()) {
                return false;
              }
              next[0] = behind;
              if (nowMillis < index.expiresAt(place) && mayMatch(query, place)) {
                ClaimRecord record = index.record(place);
                if (machine.matches(query, record, nowMillis)) {
                  records.add(record);
                }
              }
              return true;
            });
    return new Page(records, more ? Long.toString(next[0]) : null);
  }

  /** Tells, without reading the record, whether it is worth that. */
  private boolean mayMatch(Query query, Index.Place place) {
    if (index.isClaimed(place)) {
      return query.onlyInDoubt() || query.states().contains(ClaimState.CLAIMED);
    }
    if (index.isCompact(place)) {
      return !query.onlyInDoubt() && query.states().contains(ClaimState.DONE);
    }
    return !query.onlyInDoubt() && !query.states().equals(ONLY_CLAIMED);
  }

  /** Returns the scopes that there may be records of. */
  Set<Scope> scopes() {
    Set<Scope> scopes = new HashSet<>();
    log.segments().forEach(segment -> segment.names.addScopesTo(scopes));
    return scopes;
  }

  Map<ClaimState, Long> totals(long nowMillis) throws IOException {
    Map<ClaimState, Long> totals = new EnumMap<>(ClaimState.class);
    index.walk(
        0,
        (place, behind) -> {
          if (nowMillis < index.expiresAt(place)) {
            totals.merge(stateOf(place), 1L, Long::sum);
          }
          return true;
        });
    return totals;
  }

  private ClaimState stateOf(Index.Place place) throws IOException {
    if (index.isCompact(place)) {
      return ClaimState.DONE;
    }
    return index.isClaimed(place) ? ClaimState.CLAIMED : index.record(place).state();
  }

  /** Returns who collects the versions of a record, if there is one that has not expired. */
  Optional<History> historyOf(Scope scope, Key key, long nowMillis) throws IOException {
    return find(scope, key, nowMillis) == null
        ? Optional.empty()
        : Optional.of(index.historyOf(scope, key));
  }
}
