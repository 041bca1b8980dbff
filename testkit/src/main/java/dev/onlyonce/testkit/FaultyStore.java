package dev.onlyonce.testkit;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that fails on demand: a wrapper that keeps calls from another store, or lets them through
 * and loses the answer.
 *
 * <p><b>Faults.</b> A call that is hit throws a {@link StoreException} of kind UNAVAILABLE, either
 * {@link Moment#BEFORE} it reaches the store, so that nothing was done, or {@link Moment#AFTER} it,
 * so that all was done and the caller does not know. Faults of several kinds may be set at once;
 * {@link #heal()} ends them all.
 *
 * <p><b>Blocking.</b> {@link #block} makes calls wait until they are released, as on a connection
 * that hangs.
 *
 * <p><b>Thread-safety.</b> Any number of threads. Which call is the n-th, and which are hit by a
 * seed, is as the calls come in: the same again for one thread, not for several.
 */
public final class FaultyStore implements ClaimStore {

  /** What a store is asked to do. */
  public enum Verb {
    /** {@link ClaimStore#claim}. */
    CLAIM,
    /** {@link ClaimStore#settle}. */
    SETTLE,
    /** {@link ClaimStore#renew}. */
    RENEW,
    /** {@link ClaimStore#purge}. */
    PURGE
  }

  /** When a call fails. */
  public enum Moment {
    /** The store is not reached: nothing was done. */
    BEFORE,
    /** The store has done it: the answer is lost. */
    AFTER
  }

  private record Planned(Verb verb, long call) {}

  private final ClaimStore store;
  private final Map<Verb, Long> calls = new EnumMap<>(Verb.class);
  private final Map<Verb, Long> failures = new EnumMap<>(Verb.class);
  private final Map<Planned, Moment> planned = new HashMap<>();
  private final Map<Verb, Moment> down = new EnumMap<>(Verb.class);
  private Set<Block> blocks = Set.of();
  private @Nullable Random random;
  private double share;

  private FaultyStore(ClaimStore store) {
    this.store = store;
  }

  /** Wraps a store; all calls go through until a fault is set. Closing closes the store. */
  public static FaultyStore over(ClaimStore store) {
    return new FaultyStore(store);
  }

  /**
   * Lets the n-th call of a verb from now on fail, once.
   *
   * @param nth 1 is the next call
   */
  public synchronized void fail(Verb verb, Moment moment, int nth) {
    Limits.requirePositive("nth", nth);
    planned.put(new Planned(verb, calls(verb) + nth), moment);
  }

  /** Lets every call of these verbs fail, all verbs if none is given. */
  public synchronized void failAlways(Moment moment, Verb... verbs) {
    for (Verb verb : verbs.length == 0 ? Verb.values() : verbs) {
      down.put(verb, moment);
    }
  }

  /**
   * Lets a share of the calls fail, half of them before and half after.
   *
   * @param seed decides which
   * @param share 0 for none to 1 for all
   */
  public synchronized void failRandomly(long seed, double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("share must be 0 to 1, was " + share);
    }
    this.random = new Random(seed);
    this.share = share;
  }

  /** Ends all faults, those that are planned too. Calls that are blocked stay so. */
  public synchronized void heal() {
    planned.clear();
    down.clear();
    random = null;
  }

  /**
   * Makes calls wait from now on, until the block is closed.
   *
   * @param moment before they reach the store, or after it, with the answer on its way
   * @param verbs which calls, all if none is given
   */
  public synchronized Block block(Moment moment, Verb... verbs) {
    Set<Verb> which = EnumSet.allOf(Verb.class);
    if (verbs.length > 0) {
      which.retainAll(List.of(verbs));
    }
    Block block = new Block(moment, which);
    Set<Block> all = new HashSet<>(blocks);
    all.add(block);
    blocks = Set.copyOf(all);
    return block;
  }

  /** Returns how many calls of the verb were made, those that failed too. */
  public synchronized long calls(Verb verb) {
    return calls.getOrDefault(verb, 0L);
  }

  /** Returns how many calls of the verb failed by a fault of this wrapper. */
  public synchronized long failures(Verb verb) {
    return failures.getOrDefault(verb, 0L);
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return call(Verb.CLAIM, () -> store.claim(batch));
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return call(Verb.SETTLE, () -> store.settle(batch));
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return call(Verb.RENEW, () -> store.renew(batch));
  }

  @Override
  public int purge(int limit) {
    return call(Verb.PURGE, () -> store.purge(limit));
  }

  @Override
  public void close() {
    store.close();
  }

  private <T> T call(Verb verb, Supplier<T> call) {
    Moment fault = nextFault(verb);
    waitFor(verb, Moment.BEFORE);
    if (fault == Moment.BEFORE) {
      throw failure(verb, "the store was not reached");
    }
    T answer = call.get();
    waitFor(verb, Moment.AFTER);
    if (fault == Moment.AFTER) {
      throw failure(verb, "the answer got lost");
    }
    return answer;
  }

  private synchronized @Nullable Moment nextFault(Verb verb) {
    calls.merge(verb, 1L, Long::sum);
    Moment once = planned.remove(new Planned(verb, calls(verb)));
    Moment hit = random == null ? null : nextRandomFault(random);
    if (once != null) {
      return once;
    }
    return down.containsKey(verb) ? down.get(verb) : hit;
  }

  private @Nullable Moment nextRandomFault(Random dice) {
    boolean before = dice.nextBoolean();
    if (dice.nextDouble() >= share) {
      return null;
    }
    return before ? Moment.BEFORE : Moment.AFTER;
  }

  private synchronized StoreException failure(Verb verb, String what) {
    failures.merge(verb, 1L, Long::sum);
    return new StoreException(
        StoreException.Kind.UNAVAILABLE, "injected fault in " + verb + ": " + what);
  }

  private void waitFor(Verb verb, Moment moment) {
    Set<Block> now;
    synchronized (this) {
      now = blocks;
    }
    for (Block block : now) {
      if (block.moment == moment && block.verbs.contains(verb)) {
        block.pass(verb);
      }
    }
  }

  /**
   * Calls that wait. Closing it lets them all go on, and those that come after them.
   *
   * <p>A call that is interrupted while it waits fails as a fault does and keeps the interrupt.
   */
  public final class Block implements AutoCloseable {
    private final Moment moment;
    private final Set<Verb> verbs;
    private boolean closed;
    private int waiting;

    private Block(Moment moment, Set<Verb> verbs) {
      this.moment = moment;
      this.verbs = verbs;
    }

    private synchronized void pass(Verb verb) {
      waiting++;
      notifyAll();
      try {
        while (!closed) {
          wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw failure(verb, "interrupted while the store was blocked");
      } finally {
        waiting--;
      }
    }

    /**
     * Returns once at least so many calls wait here.
     *
     * @throws InterruptedException if the caller is interrupted before
     */
    public synchronized void await(int count) throws InterruptedException {
      while (waiting < count) {
        wait();
      }
    }

    /** Returns how many calls wait here now. */
    public synchronized int waiting() {
      return waiting;
    }

    @Override
    public void close() {
      synchronized (FaultyStore.this) {
        Set<Block> rest = new HashSet<>(blocks);
        rest.remove(this);
        blocks = Set.copyOf(rest);
      }
      synchronized (this) {
        closed = true;
        notifyAll();
      }
    }
  }
}
