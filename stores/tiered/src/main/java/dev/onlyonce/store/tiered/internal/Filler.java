package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.tiered.TieredStatistics;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Fills the tiers above the authority with copies, in the background: of records that are known to
 * be done, and of those whose duplicates the authority had to answer. Copies that nobody has the
 * time for are dropped. Safe for use by several threads.
 */
final class Filler {

  private static final System.Logger LOG = System.getLogger(Filler.class.getName());
  private static final int CAPACITY = 50_000;

  private final Tier authority;
  private final @Nullable NearCache near;
  private final @Nullable FastTier fast;
  private final Copies copies;
  private final AuthorityClock clock;
  private final long keepMillis;
  private final Time time;
  private final Line<Item> line;
  private final LongAdder written = new LongAdder();
  private final LongAdder dropped = new LongAdder();

  /** A key, and its record if that is known. */
  private record Item(RecordId id, @Nullable ClaimRecord known) {}

  /**
   * @param keep how long the fast store keeps a copy at the most
   */
  Filler(
      Tier authority,
      @Nullable NearCache near,
      @Nullable FastTier fast,
      Copies copies,
      AuthorityClock clock,
      Time time,
      Duration keep) {
    this.authority = authority;
    this.near = near;
    this.fast = fast;
    this.copies = copies;
    this.clock = clock;
    this.keepMillis = keep.toMillis();
    this.time = time;
    this.line = new Line<>("onlyonce-copies", CAPACITY, 1, this::fillOrDrop);
  }

  /** Has a copy of a record made that is durably done. */
  void copy(RecordId id, ClaimRecord done) {
    if (fast != null) {
      ClaimRecord copy = endingAt(clock.now().earliest() + keepMillis, done);
      if (!line.offer(new Item(id, copy))) {
        dropped.increment();
      }
    }
  }

  /** Has the authority asked for a record that is done, to copy it. */
  void look(RecordId id) {
    if (!line.offer(new Item(id, null))) {
      dropped.increment();
    }
  }

  private void fillOrDrop(List<Item> items) {
    try {
      fill(items);
    } catch (StoreException e) {
      dropped.add(items.size());
      LOG.log(Level.DEBUG, "there are no copies of what the authority was asked for: " + e);
    }
  }

  private void fill(List<Item> items) {
    List<ClaimRecord> up = new ArrayList<>();
    Set<RecordId> unknown = new LinkedHashSet<>();
    AuthorityClock.Moment now = clock.now();
    for (Item each : items) {
      ClaimRecord known = each.known;
      if (known == null) {
        unknown.add(each.id);
      } else if (copies.isGood(known, now)) {
        up.add(known);
      }
    }
    if (!unknown.isEmpty()) {
      lookAt(List.copyOf(unknown), up);
    }
    if (fast != null && !up.isEmpty()) {
      written.add(fast.put(up).stream().filter(it -> it).count());
    }
  }

  private void lookAt(List<RecordId> ids, List<ClaimRecord> up) {
    long asked = time.nanoTime();
    AuthorityClock.Moment now = clock.now();
    List<Optional<ClaimRecord>> found = authority.source().find(ids);
    for (int i = 0; i < ids.size(); i++) {
      ClaimRecord record = found.get(i).orElse(null);
      if (record != null && copies.isGood(record, now)) {
        if (near != null) {
          near.offer(ids.get(i), record, asked);
        }
        up.add(endingAt(now.earliest() + keepMillis, record.withKey(ids.get(i).key())));
      }
    }
  }

  /** Returns the record with its end moved forward, so that no copy is older than it may be. */
  private static ClaimRecord endingAt(long latest, ClaimRecord it) {
    return it.expiresAtMillis() <= latest ? it : Records.endingAt(latest, it);
  }

  TieredStatistics.Behind snapshot() {
    return new TieredStatistics.Behind(
        line.waiting(), Duration.ZERO, written.sum(), 0, dropped.sum());
  }

  void close() {
    line.end(1_000);
    dropped.add(line.clear());
  }
}
