package dev.onlyonce.store.local.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.KeyHash.Hash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a store does with whole segments: forgets what has expired, frees their space, and looks for
 * the history of a key. One thread at a time; the store's other callers go on meanwhile.
 */
final class Housekeeping {

  /** A segment of which at most this part is current is carried forward. */
  private static final int SMALL_PART = 8;

  private final Frames frames;
  private final LocalView view;
  private final StoreClock clock;
  private final long purgeGraceMillis;

  /** Who holds it knows that no segment is dropped. */
  private final ReentrantLock turn = new ReentrantLock();

  private long loggedFloor;

  Housekeeping(Frames frames, LocalView view, StoreClock clock, long purgeGraceMillis) {
    this.frames = frames;
    this.view = view;
    this.clock = clock;
    this.purgeGraceMillis = purgeGraceMillis;
  }

  /** Forgets up to so many settled records, and frees segments of which little is needed. */
  int purge(int limit) {
    turn.lock();
    try {
      int count = frames.reading(() -> forget(limit));
      freeSegments(limit);
      return count;
    } finally {
      turn.unlock();
    }
  }

  private int forget(int limit) {
    Index.Forgotten forgotten = view.index.forget(clock.millis() - purgeGraceMillis, limit);
    view.log.raiseFloor(forgotten.largestToken());
    return forgotten.count();
  }

  private void freeSegments(int limit) {
    boolean isDenseAllowed = true;
    while (true) {
      Segment oldest =
          frames.reading(() -> Optional.ofNullable(view.log.oldestSealed())).orElse(null);
      if (oldest == null) {
        return;
      }
      if (oldest.live > oldest.records / SMALL_PART) {
        // It keeps all that are behind it: one in a step, where most of these are dead.
        if (!isDenseAllowed || !frames.reading(view.log::isMostlyDead)) {
          return;
        }
        isDenseAllowed = false;
      }
      if (oldest.live > 0) {
        carryForward(oldest, limit);
      }
      if (!frames.reading(() -> drop(oldest))) {
        return; // a claim was undone meanwhile: next time
      }
    }
  }

  /** Writes the current versions that are in a segment once more, some at a time. */
  private void carryForward(Segment segment, int limit) {
    List<ClaimRecord> batch = new ArrayList<>();
    List<Long> positions = new ArrayList<>();
    try {
      view.log.scan(
          segment,
          (record, position) -> {
            batch.add(record.record());
            positions.add(position);
            if (batch.size() == limit) {
              carryForward(batch, positions);
            }
          });
    } catch (IOException e) {
      throw frames.unreadable(e);
    }
    carryForward(batch, positions);
  }

  private void carryForward(List<ClaimRecord> batch, List<Long> positions) {
    frames.write(
        () -> {
          for (int i = 0; i < batch.size(); i++) {
            ClaimRecord record = batch.get(i);
            Hash hash = view.index.hash(record.scope(), LocalView.keyOf(record));
            if (view.index.isCurrent(hash, positions.get(i))) {
              view.log(hash, record);
              frames.cut();
            }
          }
        });
    batch.clear();
    positions.clear();
  }

  /** Deletes a segment, of which nothing is current, when its tokens cannot come back any more. */
  private boolean drop(Segment segment) {
    if (segment.live > 0) {
      return false;
    }
    if (loggedFloor < view.log.floor() || frames.areNotesBehind()) {
      frames.writeInReserve(view.log::addFloor);
      loggedFloor = view.log.floor();
    }
    try {
      view.log.sync();
      view.log.drop(segment);
      view.disk.delete(Snapshot.fileName(segment.base));
      // One after the other, so that no crash brings a segment back without those behind it.
      view.disk.sync();
      return true;
    } catch (IOException e) {
      throw frames.fail(e);
    }
  }

  /** Returns the versions of a record that are still in the log, if it has not expired. */
  List<ClaimRecord> history(Scope scope, Key key) {
    turn.lock();
    try {
      Optional<History> found = frames.reading(() -> view.historyOf(scope, key, clock.millis()));
      if (found.isEmpty()) {
        return List.of();
      }
      History history = found.get();
      List<Segment> sealed = frames.reading(view.log::sealed);
      for (Segment segment : sealed) {
        view.log.scan(segment, history);
      }
      // What was sealed meanwhile, and what is still written to.
      return frames.reading(
          () -> {
            for (Segment segment : view.log.segments()) {
              if (!sealed.contains(segment)) {
                view.log.scan(segment, history);
              }
            }
            return history.versions();
          });
    } catch (IOException e) {
      throw frames.unreadable(e);
    } finally {
      turn.unlock();
    }
  }
}
