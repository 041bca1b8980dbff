package dev.onlyonce;

import dev.onlyonce.spi.Limits;
import java.util.ArrayList;
import java.util.List;

/**
 * What becomes of a key whose handler throws. Defaults:
 *
 * <ul>
 *   <li>attempts: 7
 *   <li>back-off: 1, 2, 4, 8, 16, 32 seconds with full jitter
 *   <li>final: no exception; the key is released until its attempts are used up
 *   <li>doubtful: no exception
 * </ul>
 *
 * <p>Immutable and safe for use by several threads.
 */
public final class OnFailure {

  private static final OnFailure DEFAULTS =
      new OnFailure(Limits.ATTEMPTS, Backoff.standard(), List.of(), List.of(), List.of());

  private final int attempts;
  private final Backoff backoff;
  private final List<Class<? extends Throwable>> finals;
  private final List<Class<? extends Throwable>> doubtful;
  private final List<OfKind> ofKinds;

  /** The back-off after exceptions of a kind. */
  private record OfKind(Class<? extends Throwable> kind, Backoff backoff) {}

  private OnFailure(
      int attempts,
      Backoff backoff,
      List<Class<? extends Throwable>> finals,
      List<Class<? extends Throwable>> doubtful,
      List<OfKind> ofKinds) {
    this.attempts = attempts;
    this.backoff = backoff;
    this.finals = finals;
    this.doubtful = doubtful;
    this.ofKinds = ofKinds;
  }

  /** What an exception means for the key. */
  public enum Verdict {
    /** Released: it may be claimed again after the back-off. */
    RELEASE,
    /** FAILED: not run again until its retention is over or an operator resets it. */
    FAIL,
    /** Whether the effect happened is not known: treated like a holder that vanished. */
    DOUBT
  }

  /** Returns the defaults. */
  public static OnFailure defaults() {
    return DEFAULTS;
  }

  /** Returns this policy with another number of attempts, from 1. */
  public OnFailure attempts(int most) {
    return new OnFailure(
        Limits.requirePositive("attempts", most), backoff, finals, doubtful, ofKinds);
  }

  /** Returns this policy with another back-off. */
  public OnFailure backoff(Backoff replacement) {
    return new OnFailure(attempts, replacement, finals, doubtful, ofKinds);
  }

  /**
   * Returns this policy, with another back-off after exceptions of this kind and its subclasses: a
   * resource that says when it is overloaded, for instance. Of several that fit, the one that was
   * named last counts.
   */
  public OnFailure backoffAfter(Class<? extends Throwable> kind, Backoff replacement) {
    List<OfKind> more = new ArrayList<>();
    more.add(new OfKind(kind, replacement));
    more.addAll(ofKinds);
    return new OnFailure(attempts, backoff, finals, doubtful, List.copyOf(more));
  }

  /** Returns this policy, with these exceptions and their subclasses failing the key for good. */
  @SafeVarargs
  @SuppressWarnings("varargs") // the array is only read
  public final OnFailure failOn(Class<? extends Throwable>... kinds) {
    return new OnFailure(attempts, backoff, joined(finals, List.of(kinds)), doubtful, ofKinds);
  }

  /**
   * Returns this policy, with these exceptions and their subclasses leaving the key in doubt: for
   * time-outs and cut connections, after which the effect may have happened all the same.
   */
  @SafeVarargs
  @SuppressWarnings("varargs") // the array is only read
  public final OnFailure doubtOn(Class<? extends Throwable>... kinds) {
    return new OnFailure(attempts, backoff, finals, joined(doubtful, List.of(kinds)), ofKinds);
  }

  private static List<Class<? extends Throwable>> joined(
      List<Class<? extends Throwable>> before, List<Class<? extends Throwable>> kinds) {
    List<Class<? extends Throwable>> all = new ArrayList<>(before);
    all.addAll(kinds);
    return List.copyOf(all);
  }

  /** Returns how many attempts a key has. */
  public int attempts() {
    return attempts;
  }

  /** Returns the back-off between attempts, unless the exception is of a kind with its own. */
  public Backoff backoff() {
    return backoff;
  }

  /** Returns the back-off after an attempt that ended so. */
  public Backoff backoff(Throwable thrown) {
    return ofKinds.stream()
        .filter(it -> it.kind().isInstance(thrown))
        .findFirst()
        .map(OfKind::backoff)
        .orElse(backoff);
  }

  /** Returns what this exception means after this attempt, counted from 1. */
  public Verdict verdict(Throwable thrown, int attempt) {
    if (doubtful.stream().anyMatch(kind -> kind.isInstance(thrown))) {
      return Verdict.DOUBT;
    }
    boolean isFinal = finals.stream().anyMatch(kind -> kind.isInstance(thrown));
    return isFinal || attempt >= attempts ? Verdict.FAIL : Verdict.RELEASE;
  }
}
