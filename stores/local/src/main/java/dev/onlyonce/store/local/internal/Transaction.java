package dev.onlyonce.store.local.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A frame that its user fills. For use by the thread that began it; all others wait until it ends.
 */
public final class Transaction {

  private static final int MOST_BYTES = Log.MAX_FRAME_BYTES - (1 << 20);

  private final Frames frames;
  private final LocalView view;
  private final Decider decider;
  private final Map<String, byte[]> notes = new TreeMap<>();
  private boolean ended;
  private @Nullable RuntimeException failure;

  Transaction(Frames frames, LocalView view, Decider decider) {
    this.frames = frames;
    this.view = view;
    this.decider = decider;
    frames.open();
  }

  /** Claims each key. */
  public List<Answer> claim(List<ClaimRequest> batch) {
    return LocalEngine.answers(decide(batch));
  }

  /** Settles each claim. */
  public List<Held> settle(List<? extends Settlement> batch) {
    return LocalEngine.answers(decide(batch));
  }

  private List<Object> decide(List<?> batch) {
    requireWhole();
    try {
      return decider.decide(batch, this::requireSmall);
    } catch (RuntimeException e) {
      throw undone(e);
    }
  }

  /** A part of a batch must not be committed. */
  private RuntimeException undone(RuntimeException e) {
    failure = e;
    frames.rollback();
    return e;
  }

  private void requireSmall() {
    if (view.log.frameBytes() > MOST_BYTES) {
      throw new StoreException(
          StoreException.Kind.REJECTED,
          "the transaction is too large, %,d bytes, and was undone: commit it in parts"
              .formatted(view.log.frameBytes()));
    }
  }

  private void requireWhole() {
    if (ended) {
      throw new IllegalStateException("the transaction has ended");
    }
    if (failure != null) {
      throw new IllegalStateException(
          "the transaction was undone, since a call in it has failed: " + failure.getMessage(),
          failure);
    }
  }

  /** Tells whether a claim is held, which only this transaction could change. */
  public boolean holds(Claim claim) {
    requireWhole();
    return decider.holds(claim);
  }

  /** Leaves a note. */
  public void note(String name, byte[] value) {
    requireWhole();
    byte[] copy = value.clone();
    try {
      view.log.addNote(name, copy);
      requireSmall();
    } catch (RuntimeException e) {
      throw undone(e);
    }
    notes.put(name, copy);
  }

  /** Makes the changes. */
  public void commit() {
    requireWhole();
    ended = true;
    frames.commitAndEnd(() -> view.notes.putAll(notes));
  }

  /** Ends it, if that has not happened yet; what was not committed is undone. */
  public void close() {
    if (!ended) {
      ended = true;
      frames.rollbackAndEnd();
    }
  }
}
