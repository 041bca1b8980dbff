package dev.onlyonce.testkit.engine;

import dev.onlyonce.Attempt;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Handler;
import dev.onlyonce.Key;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ways through the engine: one scenario, every driver. */
enum Way {
  BLOCKING {
    @Override
    <R> Outcome<R> take(
        OnlyOnce<R> once, Key key, @Nullable Fingerprint fingerprint, Handler<R, ?> handler) {
      return once.attempt(key, fingerprint, handler);
    }
  },
  ASYNC {
    @Override
    <R> Outcome<R> take(
        OnlyOnce<R> once, Key key, @Nullable Fingerprint fingerprint, Handler<R, ?> handler) {
      CompletableFuture<Outcome<R>> outcome =
          once.attemptAsync(key, fingerprint, attempt -> stage(handler, attempt));
      try {
        return outcome.get();
      } catch (ExecutionException e) {
        throw rethrown(e.getCause());
      } catch (InterruptedException e) {
        throw new AssertionError("the test takes too long", e);
      }
    }
  };

  /** Runs a scenario in each way. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @ParameterizedTest
  @EnumSource(Way.class)
  @interface Each {}

  abstract <R> Outcome<R> take(
      OnlyOnce<R> once, Key key, @Nullable Fingerprint fingerprint, Handler<R, ?> handler);

  <R> Outcome<R> take(OnlyOnce<R> once, Key key, Handler<R, ?> handler) {
    return take(once, key, null, handler);
  }

  /** Handlers of tests block, so they do not share the few threads of the common pool. */
  private static final Executor HANDLERS =
      task -> {
        Thread thread = new Thread(task, "handler");
        thread.setDaemon(true);
        thread.start();
      };

  private static <R> CompletionStage<R> stage(Handler<R, ?> handler, Attempt attempt) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return handler.handle(attempt);
          } catch (Error | RuntimeException e) {
            throw e;
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        },
        HANDLERS);
  }

  private static RuntimeException rethrown(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return (RuntimeException) thrown;
  }
}
