package dev.onlyonce.internal;

import org.jspecify.annotations.Nullable;

/**
 * One message on its way through its flow, with many others at the same time: which step is next,
 * and the claim while it is held. Its {@link BatchDriver} does the steps. Handed from thread to
 * thread; one at a time has it.
 */
public final class Passage<R extends @Nullable Object> {

  final Flow<R> flow;
  final long startedNanos;
  Step<R> step;
  @Nullable HeldClaim held;
  long handlingNanos;

  Passage(Flow<R> flow, long startedNanos) {
    this.flow = flow;
    this.startedNanos = startedNanos;
    this.step = flow.startAgain();
  }

  /** Returns what is to be done next. */
  public Step<R> step() {
    return step;
  }

  /** Tells whether the claim is still sure to be held, so that the handler may be started. */
  public boolean stillHeld() {
    return held != null && held.stillHeld();
  }

  /** Interrupts the handler, or has it interrupted as soon as it begins. Any thread may. */
  public void leave() {
    HeldClaim claim = held;
    if (claim != null) {
      claim.leave();
    }
  }
}
