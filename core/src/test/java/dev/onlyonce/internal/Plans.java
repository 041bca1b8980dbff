package dev.onlyonce.internal;

import dev.onlyonce.Backoff;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.Resolver;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Lapse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Plans for tests, made from one by changing a thing or two. */
record Plans(
    DeliveryMode mode,
    Lapse lapse,
    @Nullable Resolver<String> resolver,
    OnInProgress onInProgress,
    OnFailure onFailure,
    boolean failOpen,
    ResultCodec<String> codec) {

  static final Scope SCOPE = Scope.of("test");
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration RETENTION = Duration.ofDays(7);
  static final int RESULT_LIMIT = 100;

  static Plans standard() {
    return new Plans(
        DeliveryMode.EFFECTIVELY_ONCE,
        Lapse.TAKE,
        null,
        OnInProgress.retryLater(),
        OnFailure.defaults()
            .attempts(3)
            .backoff(Backoff.fixed(Duration.ofSeconds(5)))
            .failOn(IllegalArgumentException.class)
            .doubtOn(ArithmeticException.class),
        false,
        ResultCodec.TEXT);
  }

  Plans mode(DeliveryMode other) {
    return new Plans(other, lapse, resolver, onInProgress, onFailure, failOpen, codec);
  }

  Plans parking() {
    return new Plans(mode, Lapse.PARK, null, onInProgress, onFailure, failOpen, codec);
  }

  Plans resolver(Resolver<String> other) {
    return new Plans(mode, Lapse.PARK, other, onInProgress, onFailure, failOpen, codec);
  }

  Plans onInProgress(OnInProgress other) {
    return new Plans(mode, lapse, resolver, other, onFailure, failOpen, codec);
  }

  Plans failingOpen() {
    return new Plans(mode, lapse, resolver, onInProgress, onFailure, true, codec);
  }

  Plans codec(ResultCodec<String> other) {
    return new Plans(mode, lapse, resolver, onInProgress, onFailure, failOpen, other);
  }

  Plan<String> plan() {
    return new Plan<>(
        SCOPE,
        mode,
        lapse,
        resolver,
        onInProgress,
        onFailure,
        failOpen,
        LEASE,
        RETENTION,
        RESULT_LIMIT,
        codec,
        false);
  }
}
