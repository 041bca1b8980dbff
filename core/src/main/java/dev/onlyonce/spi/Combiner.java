package dev.onlyonce.spi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns concurrent calls into batches, without a timer and without a thread of its own: the first
 * caller goes at once, and those that arrive while it is under way form the next batch, which the
 * first of them carries out.
 *
 * <p><b>Guarantee.</b> Every item is in exactly one batch, except that a batch which fails for a
 * reason that may be one item's is carried out again call by call, so that each caller gets its own
 * failure and no other; what a combiner carries must therefore bear to be asked twice, as all verbs
 * of a {@link ClaimStore} do. Items of one caller stay together and in order.
 *
 * <p><b>Thread-safety.</b> Any number of threads, virtual ones too. A caller that is interrupted
 * gets its answer all the same and stays interrupted.
 *
 * <p><b>Failure.</b> What the batch call throws; {@link StoreException} of kind UNAVAILABLE when
 * the queue is full.
 *
 * @param <Q> an item of a batch
 * @param <A> its answer
 */
public final class Combiner<Q, A> {

  private final Function<List<Q>, List<A>> batchCall;
  private final int maxBatch;
  private final int maxQueue;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final ArrayDeque<Call<Q, A>> queue = new ArrayDeque<>();
  private int queuedItems;
  private boolean busy;

  /**
   * @param batchCall carries out a batch; its answers are in the order of the items
   * @param maxBatch how many items a batch has at the most, unless one caller brings more
   * @param maxQueue how many items may wait at the most
   */
  public Combiner(Function<List<Q>, List<A>> batchCall, int maxBatch, int maxQueue) {
    this.batchCall = batchCall;
    this.maxBatch = Limits.requirePositive("batch", maxBatch);
    this.maxQueue = Limits.requirePositive("queue", maxQueue);
  }

  /** Has these items carried out; returns their answers in their order. */
  public List<A> call(List<Q> items) {
    Call<Q, A> mine = new Call<>(items, Thread.currentThread());
    if (enqueue(mine)) {
      mine.state = Call.State.LEADING;
    }
    boolean interrupted = false;
    try {
      while (mine.state == Call.State.WAITING) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
      if (mine.state == Call.State.LEADING) {
        interrupted |= Thread.interrupted(); // it is this caller's own, the batch is everybody's
        lead();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return mine.answers();
  }

  /** Adds a call to the queue; returns whether it is its caller's turn to carry out a batch. */
  private boolean enqueue(Call<Q, A> call) {
    lock.lock();
    try {
      if (busy && queuedItems + call.items.size() > maxQueue) {
        throw new StoreException(
            StoreException.Kind.UNAVAILABLE,
            "the store does not keep up: %,d requests wait already, the limit is %,d"
                .formatted(queuedItems, maxQueue));
      }
      queue.add(call);
      queuedItems += call.items.size();
      if (busy) {
        return false;
      }
      busy = true;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many items wait now. */
  int queuedItems() {
    lock.lock();
    try {
      return queuedItems;
    } finally {
      lock.unlock();
    }
  }

  /** Carries out the batch at the head of the queue, then leaves the lead to the next caller. */
  private void lead() {
    List<Call<Q, A>> batch = new ArrayList<>();
    try {
      take(batch);
      carryOut(batch);
    } finally {
      passOn();
      batch.forEach(Call::finish);
    }
  }

  private void take(List<Call<Q, A>> batch) {
    lock.lock();
    try {
      int items = 0;
      while (!queue.isEmpty()) {
        int more = queue.element().items.size();
        if (!batch.isEmpty() && items + more > maxBatch) {
          break;
        }
        batch.add(queue.remove());
        items += more;
      }
      queuedItems -= items;
    } finally {
      lock.unlock();
    }
  }

  private void passOn() {
    lock.lock();
    try {
      Call<Q, A> next = queue.peek();
      if (next == null) {
        busy = false;
      } else {
        next.state = Call.State.LEADING;
        LockSupport.unpark(next.caller);
      }
    } finally {
      lock.unlock();
    }
  }

  private void carryOut(List<Call<Q, A>> batch) {
    if (batch.size() == 1) {
      carryOutAlone(batch.get(0));
      return;
    }
    List<Q> items = new ArrayList<>();
    batch.forEach(call -> items.addAll(call.items));
    try {
      List<A> answers = batchCall.apply(items);
      int from = 0;
      for (Call<Q, A> call : batch) {
        call.answers = answers.subList(from, from + call.items.size());
        from += call.items.size();
      }
    } catch (RuntimeException e) {
      if (isEverybodys(e)) {
        batch.forEach(call -> call.failure = e);
      } else {
        batch.forEach(this::carryOutAlone);
      }
    }
  }

  private void carryOutAlone(Call<Q, A> call) {
    try {
      call.answers = batchCall.apply(call.items);
    } catch (RuntimeException e) {
      call.failure = e;
    }
  }

  private static boolean isEverybodys(RuntimeException failure) {
    return failure instanceof StoreException store
        && (store.kind() == StoreException.Kind.UNAVAILABLE
            || store.kind() == StoreException.Kind.CLOSED);
  }

  private static final class Call<Q, A> {

    enum State {
      WAITING,
      LEADING,
      FINISHED
    }

    final List<Q> items;
    final Thread caller;
    volatile State state = State.WAITING;
    @Nullable List<A> answers;
    @Nullable RuntimeException failure;

    Call(List<Q> items, Thread caller) {
      this.items = items;
      this.caller = caller;
    }

    void finish() {
      state = State.FINISHED;
      LockSupport.unpark(caller);
    }

    List<A> answers() {
      if (failure != null) {
        throw failure;
      }
      if (answers == null) {
        throw new StoreException(
            StoreException.Kind.UNAVAILABLE,
            "the caller that carried out the batch was ended by an error");
      }
      return answers;
    }
  }
}
