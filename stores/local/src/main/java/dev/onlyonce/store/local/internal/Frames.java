package dev.onlyonce.store.local.internal;

import dev.onlyonce.spi.StoreException;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who writes: one thread at a time begins a frame, decides what it says, and commits it to the log
 * and to the index. What a disk does that fails ends here: a full one refuses the frame, any other
 * failure ends the store. Safe for use by several threads.
 */
final class Frames {

  /** Something to do while nobody else is at it. */
  interface Reading<T> {
    T read() throws IOException;
  }

  /** A frame that has become this long is written before the batch goes on. */
  private static final int LONG_FRAME = 4 << 20;

  private final LocalView view;
  private final StoreClock clock;
  private final Hold hold;
  private final Consumer<Segment> sealed;
  private final ReentrantLock turn = new ReentrantLock();

  // Guarded by the turn.
  private @Nullable StoreException failure;
  private @Nullable Segment hasNotes;
  private boolean hasWritten;

  /**
   * @param sealed is told of segments that are written to no more
   */
  Frames(LocalView view, StoreClock clock, Hold hold, Consumer<Segment> sealed) {
    this.view = view;
    this.clock = clock;
    this.hold = hold;
    this.sealed = sealed;
  }

  /** Commits what the work decides; what it has not committed itself is undone if it fails. */
  void write(Runnable work) {
    write(false, work);
  }

  /** Commits what the work decides in the room that is kept for when the disk is full. */
  void writeInReserve(Runnable work) {
    write(true, work);
  }

  private void write(boolean inReserve, Runnable work) {
    turn.lock();
    try {
      begin(inReserve);
      work.run();
      commit(inReserve);
    } catch (RuntimeException | Error e) {
      rollback();
      throw e;
    } finally {
      turn.unlock();
    }
  }

  /** Takes the turn and begins a frame, which this thread commits or rolls back. */
  void open() {
    turn.lock();
    try {
      begin(false);
    } catch (RuntimeException | Error e) {
      turn.unlock();
      throw e;
    }
  }

  /**
   * Commits what was decided since {@link #open()}, and gives the turn back.
   *
   * @param then what to do before others have their turn
   */
  void commitAndEnd(Runnable then) {
    try {
      commit(false);
      then.run();
    } catch (RuntimeException | Error e) {
      rollback();
      throw e;
    } finally {
      turn.unlock();
    }
  }

  /** Gives the turn back; what was not committed is undone. */
  void rollbackAndEnd() {
    rollback();
    turn.unlock();
  }

  /** Commits what was decided until now if it is much. */
  void cut() {
    if (view.log.frameBytes() > LONG_FRAME) {
      commit(false);
      begin(false);
    }
  }

  /** Reads while nobody writes. */
  <T> T reading(Reading<T> reading) {
    turn.lock();
    try {
      requireWorking();
      return reading.read();
    } catch (IOException e) {
      throw unreadable(e);
    } finally {
      turn.unlock();
    }
  }

  /** Who has a frame open must use it: everybody else waits for its end. */
  void requireNoneOpen() {
    if (turn.isHeldByCurrentThread()) {
      throw new IllegalStateException(
          "this thread has a transaction of the local store open: use that, or end it first");
    }
  }

  private void requireWorking() {
    if (failure != null) {
      throw failure;
    }
  }

  private void begin(boolean inReserve) {
    requireWorking();
    try {
      hold.require(clock.micros());
      Segment before = view.log.last();
      boolean rolled = view.log.begin(clock.micros(), inReserve);
      if (rolled && before != null) {
        sealed.accept(before);
      }
      if (view.log.last() != hasNotes) {
        // Notes are carried on from segment to segment.
        view.notes.forEach(view.log::addNote);
      }
      view.index.begin();
    } catch (NotWrittenException e) {
      throw refused(e);
    } catch (IOException e) {
      throw fail(e);
    }
  }

  private void commit(boolean inReserve) {
    requireWorking();
    if (view.log.isFrameEmpty()) {
      view.log.cancel();
      view.index.commit();
      return;
    }
    try {
      view.log.allocate(inReserve);
      view.log.commit(clock.micros());
    } catch (NotWrittenException e) {
      throw refused(e);
    } catch (IOException e) {
      throw fail(e);
    }
    hasNotes = view.log.last();
    hasWritten = true;
    view.index.commit();
  }

  /** Undoes what was decided and not committed. */
  void rollback() {
    if (failure == null && view.index.isChanging()) {
      view.index.rollback();
      view.log.cancel();
    }
  }

  private static StoreException refused(NotWrittenException e) {
    return e.isFull()
        ? new StoreException(
            StoreException.Kind.FULL, "the local store is full: " + e.getMessage(), e)
        : new StoreException(
            StoreException.Kind.UNAVAILABLE, "the local store cannot go on: " + e.getMessage(), e);
  }

  /** The disk has failed: what it holds now is not known, so nothing is answered any more. */
  StoreException fail(IOException e) {
    turn.lock();
    try {
      if (failure == null) {
        failure =
            new StoreException(
                StoreException.Kind.UNAVAILABLE,
                "the local store in %s has failed and must be opened anew: %s"
                    .formatted(view.disk, sentence(e)),
                e);
      }
      return failure;
    } finally {
      turn.unlock();
    }
  }

  /** What was written could not be read: it is damaged, or the disk has failed. */
  StoreException unreadable(IOException e) {
    return e instanceof DamagedException
        ? new StoreException(StoreException.Kind.REJECTED, "the local store: " + sentence(e), e)
        : fail(e);
  }

  static String sentence(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** Tells whether a segment before the last one has the notes, which are in none behind it. */
  boolean areNotesBehind() {
    return !view.notes.isEmpty() && view.log.last() != hasNotes;
  }

  /**
   * Writes what was not synced, and how far that is; afterwards nothing is answered any more.
   * Returns false if that has happened before.
   */
  boolean close() throws IOException {
    turn.lock();
    try {
      StoreException before = failure;
      if (before != null && before.kind() == StoreException.Kind.CLOSED) {
        return false;
      }
      failure = new StoreException(StoreException.Kind.CLOSED, "the local store has been closed");
      if (before == null) {
        view.log.sync();
        markClosed();
      }
      return true;
    } finally {
      turn.unlock();
    }
  }

  private void markClosed() {
    if (!hasWritten) {
      return;
    }
    try {
      hold.require(clock.micros());
      CloseMark.write(view.disk, view.log.settings.storeId(), view.log.sequence);
    } catch (IOException e) {
      // The disk is full, or the store is somebody else's now: nothing is lost but the mark.
    }
  }
}
