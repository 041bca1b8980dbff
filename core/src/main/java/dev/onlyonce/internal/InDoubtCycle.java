package dev.onlyonce.internal;

import dev.onlyonce.Handler;
import dev.onlyonce.Key;
import dev.onlyonce.Outcome;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import java.util.Set;
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
  private @Nullable String cursor;

  /** Makes a cycle that begins at the first record. */
  public InDoubtCycle(Engine engine, Plan<R> plan, Events events) {
    this.engine = engine;
    this.plan = plan;
    this.events = events;
  }

  /**
   * Looks at the next records, and asks the resolver about those that are in doubt.
   *
   * @param limit how many records to look at
   * @return how many keys were in doubt and are not any more
   */
  public int runOnce(ClaimReader reader, int limit) {
    lock.lock();
    try {
      Query claimed = new Query(plan.scope(), Set.of(ClaimState.CLAIMED), limit);
      Page page = reader.list(claimed, cursor);
      int decided = 0;
      for (ClaimRecord record : page.records()) {
        Key key = record.key();
        decided += record.lapse() == Lapse.PARK && key != null && isDecided(key) ? 1 : 0;
      }
      cursor = page.next();
      return decided;
    } finally {
      lock.unlock();
    }
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
