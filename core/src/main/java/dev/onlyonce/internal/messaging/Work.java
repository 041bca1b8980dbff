package dev.onlyonce.internal.messaging;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Outcome;
import dev.onlyonce.internal.Passage;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Source.Arrival;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One delivery under way. Only the thread of the loop changes it. */
final class Work<R extends @Nullable Object> {

  /**
   * Where a delivery stands. In the first four states those behind it in its line may be claimed;
   * in the others they have to wait, since it may come to be handled again.
   */
  enum State {
    /** Its key may be asked for. */
    READY,
    /** The store is asked. */
    ASKED,
    /** Its key is claimed and it waits for its turn. */
    CLAIMED,
    /** Its handler runs, or is about to. */
    RUNNING,
    /** Its claim is to be settled, or a resolver is asked. */
    SETTLING,
    /** It waits for a moment. */
    WAITING,
    /** Its copy is to be published, which the broker brings back. */
    RETURNING,
    /** Its dead letter is to be published. */
    BURYING,
    /** It is not under way any more. */
    GONE;

    boolean letsOthersClaim() {
      return this == READY || this == ASKED || this == CLAIMED || this == RUNNING;
    }
  }

  final Arrival arrival;
  final long poll;

  /** Others of the same key, which came while this one was under way, in order. */
  final List<Work<R>> copies = new ArrayList<>(0);

  /** The one that this is a copy of, while that is under way. */
  @Nullable Work<R> original;

  State state = State.READY;
  @Nullable Key key;
  @Nullable Fingerprint fingerprint;
  @Nullable String orderingKey;
  @Nullable Line<R> line;
  @Nullable Passage<R> passage;

  /** What came of it at last. */
  @Nullable Outcome<R> outcome;

  /** How many attempts have failed, where the store does not count them. */
  int attempts;

  /** Whether it has no key and is handled all the same. */
  boolean isUnprotected;

  /** Whether another thread has its passage. */
  boolean isAway;

  /**
   * The one before it in its line whose handler has returned: it is settled before this one, so
   * that a crash leaves no later effect on record without the earlier one.
   */
  @Nullable Work<R> before;

  /** The line that it was in until its handler had returned. */
  @Nullable Line<R> returnedFrom;

  /** Whether its dead letter is published. */
  boolean isBuried;

  /** Whether it is to be given back as soon as that can be done. Handlers' threads look, too. */
  volatile boolean isLeaving;

  /** Whether its lane belongs to others, so that it is not to be acknowledged. */
  boolean isAbandoned;

  /** How often in a row a store or a publisher has failed it. */
  int failures;

  /**
   * @param poll the number of the poll that brought it
   */
  Work(Arrival arrival, long poll) {
    this.arrival = arrival;
    this.poll = poll;
  }

  Delivery delivery() {
    return arrival.delivery();
  }
}
