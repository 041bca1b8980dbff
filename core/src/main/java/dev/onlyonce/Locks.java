package dev.onlyonce;

import dev.onlyonce.internal.LockEngine;
import dev.onlyonce.internal.LockEngine.HeldLock;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.Optional;

/**
 * Distributed locks with lease, automatic renewal and fencing token, on any claim store: a lock is
 * a claim that is released instead of completed.
 *
 * <pre>{@code
 * try (Locks locks = Locks.on(store)) {
 *   Optional<Locks.Lock> lock = locks.tryLock("report-2024-05");
 *   if (lock.isPresent()) {
 *     try (Locks.Lock held = lock.get()) {
 *       write(report, held.token());
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p><b>Guarantee.</b> As long as a lock is not lost, nobody else has one of that name in this
 * scope on this store. A process that stalls for longer than its lease loses the lock without
 * noticing at once; what it still does then is refused only by a resource that checks the token,
 * which grows from holder to holder.
 *
 * <p><b>Thread-safety.</b> Any number of threads. A lock belongs to whoever has the object, not to
 * a thread. A thread that asks again for a lock that it took, and has not released, is refused with
 * an {@link IllegalStateException} instead of waiting for itself.
 *
 * <p><b>Failure.</b> {@link dev.onlyonce.spi.StoreException} if the store fails; REJECTED if the
 * name is not a lock, or is one in doubt, as those that were held at a restore are until an
 * operator frees them.
 */
public final class Locks implements AutoCloseable {

  private final LockEngine engine;

  private Locks(Builder builder) {
    this.engine = new LockEngine(builder.store, builder.scope, builder.lease, builder.time);
  }

  /** Makes locks on a store, in scope {@code locks}, with a lease of 30 seconds. */
  public static Locks on(ClaimStore store) {
    return builder(store).build();
  }

  /** Starts locks with other settings. */
  public static Builder builder(ClaimStore store) {
    return new Builder(store);
  }

  /** Takes the lock if it is free. */
  public Optional<Lock> tryLock(String name) {
    return lock(name, Duration.ZERO);
  }

  /**
   * Takes the lock as soon as it is free, or gives up.
   *
   * @param patience how long to wait at the most
   * @return empty if the lock was not free in that time, or the thread was interrupted
   */
  public Optional<Lock> lock(String name, Duration patience) {
    Limits.requireNotNegative("patience", patience);
    return Optional.ofNullable(engine.lock(Key.of(name), patience)).map(Lock::new);
  }

  /** Stops renewing. Locks that are held are left to their leases. */
  @Override
  public void close() {
    engine.close();
  }

  /** A lock that is held until it is released, or lost. Safe for use by several threads. */
  public static final class Lock implements AutoCloseable {

    private final HeldLock held;

    Lock(HeldLock held) {
      this.held = held;
    }

    /** Returns the fencing token, larger than that of every earlier holder. */
    public long token() {
      return held.token();
    }

    /** Tells whether the lock is still sure to be held, seen from here. */
    public boolean stillHeld() {
      return held.stillHeld();
    }

    /** Makes the lease last this long from now on; returns whether the lock was still held. */
    public boolean extend(Duration lease) {
      return held.extend(lease);
    }

    /**
     * Releases the lock.
     *
     * @return whether it was still held, or had been released by this object before; false says
     *     that another may have had it at the same time
     */
    public boolean release() {
      return held.release();
    }

    /** Releases the lock, as {@link #release()} does. */
    @Override
    public void close() {
      release();
    }
  }

  /**
   * Settings of locks. Defaults:
   *
   * <ul>
   *   <li>scope: {@code locks}
   *   <li>lease: 30 seconds, renewed at a third
   *   <li>time: the clocks of this machine
   * </ul>
   */
  public static final class Builder {
    private final ClaimStore store;
    private Scope scope = Scope.of("locks");
    private Duration lease = Limits.LEASE;
    private Time time = Time.system();

    private Builder(ClaimStore store) {
      this.store = store;
    }

    /** Sets the scope of the names. */
    public Builder scope(String name) {
      this.scope = Scope.of(name);
      return this;
    }

    /** Sets how long a lock lasts when its process dies, at most 24 hours. */
    public Builder lease(Duration duration) {
      this.lease = Limits.requireLease(duration);
      return this;
    }

    /** Sets the clocks, for tests. */
    public Builder time(Time replacement) {
      this.time = replacement;
      return this;
    }

    /** Makes the locks. */
    public Locks build() {
      return new Locks(this);
    }
  }
}
