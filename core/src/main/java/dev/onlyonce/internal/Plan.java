package dev.onlyonce.internal;

import dev.onlyonce.DeliveryMode;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.Resolver;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Lapse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an engine that its flows follow. Immutable.
 *
 * @param lapse what becomes of a key whose holder vanishes
 * @param resolver asked about a key in doubt; null if an operator decides
 * @param failOpen whether the handler runs unprotected when the store cannot be asked
 * @param resultLimitBytes the largest encoded result that is kept
 * @param isPatient whether a claim whose handler has run is held, and its settlement tried, for as
 *     long as the process lives
 */
public record Plan<R extends @Nullable Object>(
    Scope scope,
    DeliveryMode mode,
    Lapse lapse,
    @Nullable Resolver<R> resolver,
    OnInProgress onInProgress,
    OnFailure onFailure,
    boolean failOpen,
    Duration lease,
    Duration retention,
    int resultLimitBytes,
    ResultCodec<R> codec,
    boolean isPatient) {

  /** No lease is as long. */
  private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofDays(365);

  /** Returns how long a settlement is tried that the store does not take. */
  Duration settlesFor() {
    return isPatient ? AS_LONG_AS_IT_TAKES : lease;
  }

  /** Returns the same settings in another mode. */
  Plan<R> in(DeliveryMode other) {
    return new Plan<>(
        scope,
        other,
        lapse,
        resolver,
        onInProgress,
        onFailure,
        failOpen,
        lease,
        retention,
        resultLimitBytes,
        codec,
        isPatient);
  }
}
