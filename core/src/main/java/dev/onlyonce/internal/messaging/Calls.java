package dev.onlyonce.internal.messaging;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How keys are claimed and settled. Only the thread of the loop calls. */
interface Calls<R extends @Nullable Object> {

  /** There may be something to claim in a line. */
  void claim(Line<R> line);

  /** A claim is to be settled. */
  void settle(Work<R> work);

  /**
   * A message has failed for good, and its letter is published: has it recorded, where that is not
   * done by settling a claim.
   *
   * @param then what is done after that
   */
  void fail(Work<R> work, String reason, Runnable then);

  /** Claims nothing more. */
  void stopClaiming();

  /** Nothing more will be done: settles what there is, and saves what there is to be saved. */
  void end();

  /** Has what concerns these lanes saved, since they go. */
  void leave(Set<String> lanes);

  /** Tells whether nothing is on its way. */
  boolean isIdle();

  /** Tells whether there is something to ask at once. */
  boolean isUrgent();

  /** Asks what is to be asked. */
  void proceed();
}
