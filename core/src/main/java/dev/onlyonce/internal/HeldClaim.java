package dev.onlyonce.internal;

import dev.onlyonce.Attempt;
import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A claim while its handler runs: the handler's {@link Attempt}, and what the renewals know of it.
 * Safe for use by several threads.
 */
final class HeldClaim implements Attempt {

  /**
   * Where a held claim stands; once it has left HELD it comes back only if the handler renews it by
   * itself.
   */
  private enum State {
    HELD,
    LOST,
    RETURNED
  }

  /** Why the engine has interrupted the handler. */
  enum Interrupt {
    /** It has not. */
    NONE,
    /** The claim was lost. */
    LOST,
    /** The engine shuts down. */
    TO_LEAVE
  }

  final Claim claim;
  private final Renewals renewals;
  private final byte @Nullable [] checkpoint;
  private final boolean interruptWhenLost;
  private final boolean leased;

  // Guarded by the lock of the renewals.
  @Nullable HeldClaim previous;
  @Nullable HeldClaim next;
  long renewAtNanos;
  boolean isRenewed;

  /** How many batches of renewals had this claim, and how many of them are on their way. */
  long batches;

  int underWay;

  /** What they ask for: the same while one of them is on its way. */
  Duration sentLease;

  private volatile Duration lease;
  private volatile long leaseEndNanos;
  private State state = State.HELD;
  private Interrupt sent = Interrupt.NONE;
  private @Nullable Thread handler;
  private boolean isLeaving;

  /**
   * @param lease how long a renewal makes the claim last
   * @param handler the thread that the handler runs on; null if it is not bound to one, or not yet
   * @param interruptWhenLost whether to interrupt it when the claim is lost
   */
  HeldClaim(
      Renewals renewals,
      Step.Run<?> run,
      Duration lease,
      @Nullable Thread handler,
      boolean interruptWhenLost) {
    this.renewals = renewals;
    this.claim = run.claim();
    this.lease = lease;
    this.sentLease = lease;
    this.leaseEndNanos = run.leaseEndNanos();
    this.checkpoint = run.checkpoint();
    this.handler = handler;
    this.interruptWhenLost = interruptWhenLost;
    this.leased = run.leased();
  }

  /**
   * The handler begins, on this thread: it is interrupted from here on if it is to stop, and at
   * once if it should have stopped already.
   */
  synchronized void handledBy(Thread thread) {
    handler = thread;
    if (isLeaving) {
      interrupt(Interrupt.TO_LEAVE);
    }
  }

  /** Tells whether there is a lease at all. */
  boolean isLeased() {
    return leased;
  }

  long leaseEndNanos() {
    return leaseEndNanos;
  }

  /** Returns how long each renewal makes the claim last. */
  Duration lease() {
    return lease;
  }

  /** A batch of renewals has this claim. */
  void sent() {
    batches++;
    underWay++;
    sentLease = lease;
  }

  void renewedUntil(long endNanos, Duration newLease) {
    lease = newLease;
    leaseEndNanos = endNanos;
  }

  /**
   * Tells the handler that the claim is lost; returns whether that is news. Called, as {@link
   * #regain()} is, under the lock of the renewals.
   */
  synchronized boolean lose() {
    if (state != State.HELD) {
      return false;
    }
    state = State.LOST;
    if (interruptWhenLost) {
      interrupt(Interrupt.LOST);
    }
    return true;
  }

  /** The handler has renewed the claim, whose lease had only been over: it holds it again. */
  synchronized void regain() {
    if (state == State.LOST) {
      state = State.HELD;
    }
  }

  /** Interrupts the handler since the engine shuts down. */
  synchronized void leave() {
    isLeaving = true;
    if (state != State.RETURNED) {
      interrupt(Interrupt.TO_LEAVE);
    }
  }

  private void interrupt(Interrupt why) {
    if (handler != null) {
      sent = why;
      handler.interrupt();
    }
  }

  /**
   * The handler has returned or thrown: it is not interrupted from here on, and an interrupt that
   * was sent is taken back. Called on its thread.
   */
  synchronized Interrupt handlerEnded() {
    state = State.RETURNED;
    if (sent != Interrupt.NONE) {
      Thread.interrupted();
    }
    return sent;
  }

  @Override
  public Claim claim() {
    return claim;
  }

  @Override
  public Scope scope() {
    return claim.scope();
  }

  @Override
  public Key key() {
    return claim.key();
  }

  @Override
  public long token() {
    return claim.token();
  }

  @Override
  public int number() {
    return claim.attempt();
  }

  @Override
  public boolean stillHeld() {
    if (!leased) {
      return true;
    }
    synchronized (this) {
      if (state != State.HELD) {
        return false;
      }
    }
    return renewals.nanoTime() - leaseEndNanos < 0;
  }

  @Override
  public boolean extend(Duration longer) {
    return renew(Limits.requireLease(longer), null);
  }

  @Override
  public Optional<byte[]> checkpoint() {
    return Optional.ofNullable(checkpoint);
  }

  @Override
  public boolean saveCheckpoint(byte[] state) {
    return renew(lease, state.clone());
  }

  private boolean renew(Duration longer, byte @Nullable [] state) {
    if (!leased) {
      return true;
    }
    return renewals.renewNow(this, new Renewal(claim, longer, state));
  }
}
