package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Brings calls to the nodes that have their slots, and goes on until each of them is answered or
 * the patience is over.
 *
 * <p>A call whose answer got lost is made again: every script tells a repetition from a second
 * request. That is begun within the patience, however long it takes to look and to connect. Safe
 * for use by several threads.
 */
final class Dispatcher {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final int DOUBLINGS = 5;

  /** So often a call may be sent elsewhere, or with its script, whatever the patience. */
  private static final int FREE_ROUNDS = 5;

  private final RedisPort port;
  private final Topology topology;
  private final RedisSettings settings;
  private final Time time;
  private final long patienceNanos;
  private final Denials denials;

  Dispatcher(RedisPort port, Topology topology, RedisSettings settings) {
    this.port = port;
    this.topology = topology;
    this.settings = settings;
    this.time = settings.time;
    this.denials = new Denials(port, settings);
    this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(Limits.millis(settings.patience));
  }

  /**
   * Returns when all calls are answered.
   *
   * @throws StoreException if that cannot be had, or replicas did not get it in time; then some may
   *     have been made
   */
  void run(List<Call> calls) {
    run(calls, false, false);
  }

  /**
   * As {@link #run}, but when some are answered, others that a node keeps waiting are given up for
   * now.
   */
  void runSome(List<Call> calls) {
    run(calls, false, true);
  }

  /**
   * As {@link #run}, but goes on waiting for replicas: one that has just started needs a second.
   */
  void runPatiently(List<Call> calls) {
    run(calls, true, false);
  }

  private void run(List<Call> calls, boolean insists, boolean isContent) {
    long start = time.nanoTime();
    boolean isRepeat = false; // whether a server may have done what it is asked
    List<Call> open = calls;
    if (topology.isUnsure()) {
      look();
    }
    for (int attempt = 0; ; attempt++) {
      BooleanSupplier isTooLate = isRepeat ? () -> isOver(start) : () -> false;
      Round round = new Round(port, topology, settings, insists, isTooLate);
      round.run(open);
      open = round.open();
      StoreException fault = round.fault();
      if (open.isEmpty() && fault == null) {
        return;
      }
      boolean isFree = round.isUnderWay() && attempt < FREE_ROUNDS;
      boolean isLate = !isFree && isOver(start);
      isRepeat |= !round.isUnderWay();
      if (fault != null && (round.isOver() || isLate)) {
        Node denier = round.denier();
        throw denier == null ? fault : denials.explain(fault, denier);
      }
      if (round.mustPause() || attempt > 2) {
        pause(attempt);
      }
      if (round.mustLook()) {
        look();
      }
      boolean isEnough = isContent && !round.isUnderWay() && calls.stream().anyMatch(Call::isSure);
      if (fault != null && (isEnough || (isRepeat && isOver(start)))) {
        throw fault;
      }
    }
  }

  private boolean isOver(long start) {
    return time.nanoTime() - start >= patienceNanos;
  }

  private void look() {
    try {
      topology.look();
    } catch (LinkException e) {
      if (e.isRefused()) {
        throw new StoreException(Kind.REJECTED, String.valueOf(e.getMessage()), e);
      }
      // Nobody knows, for now: the calls go where they went before, and this is asked again.
    }
  }

  private void pause(int attempt) {
    long nanos = FIRST_PAUSE.toNanos() << Math.min(attempt, DOUBLINGS);
    long end = time.nanoTime() + nanos;
    boolean interrupted = false; // what was begun goes on: a settlement must not fail for that
    for (long left = nanos; left > 0; left = end - time.nanoTime()) {
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
