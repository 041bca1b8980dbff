package dev.onlyonce.internal;

import dev.onlyonce.Handler;
import dev.onlyonce.Key;
import dev.onlyonce.Outcome;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has keys in doubt decided though their messages do not come again: a duty cycle that goes round
 * the records of a scope, some at a time. Safe for use by several threads, of which one goes on.
 */
public final class InDoubtCycle<R extends @Nullable Object> {

  private final Engine engine;
  private final Plan<R> plan;
  private final Events events;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<ClaimRecord> page = new ArrayDeque<>();
  private @Nullable String cursor;
  private boolean isAtEnd;

  /** Makes a cycle that begins at the first record. */
  public InDoubtCycle(Engine engine, Plan<R> plan, Events events) {
    this.engine = engine;
    this.plan = plan;
    this.events = events;
  }

  /**
   * Asks the resolver about the next keys that are in doubt. A call ends behind the last one, and
   * the next begins anew.
   *
   * @param limit how many keys to ask about, or pages to look at, at the most
   * @return how many of them are not in doubt any more
   */
  public int runOnce(ClaimReader reader, int limit) {
    lock.lock();
    try {
      int decided = 0;
      for (int i = 0; i < limit; i++) {
        if (page.isEmpty() && !turn(reader, limit)) {
          break;
        }
        // Whatever comes of one key, the next call goes on behind it.
        Key key = page.isEmpty() ? null : page.remove().key();
        decided += key != null && isDecided(key) ? 1 : 0;
      }
      return decided;
    } finally {
      lock.unlock();
    }
  }

  /** Turns to the next page; returns whether there may be more. */
  private boolean turn(ClaimReader reader, int limit) {
    if (isAtEnd) {
      isAtEnd = false;
      return false;
    }
    Page next = reader.list(Query.inDoubt(limit).in(plan.scope()), cursor);
    page.addAll(next.records());
    cursor = next.next();
    isAtEnd = cursor == null && !page.isEmpty();
    return cursor != null || isAtEnd;
  }

  /** Asks about a key; one that is held, after all, is left alone. */
  private boolean isDecided(Key key) {
    long requestId = ThreadLocalRandom.current().nextLong();
    Flow<R> flow = Flow.resolving(plan, events, key, requestId);
    Outcome<R> outcome = new BlockingDriver<>(engine, plan, flow, nobody(), false).run();
    return !(outcome instanceof Outcome.InProgress || outcome instanceof Outcome.InDoubt);
  }

  private Handler<R, RuntimeException> nobody() {
    return attempt -> {
      throw new IllegalStateException("a flow that only resolves has run a handler");
    };
  }
}
