package dev.onlyonce.app.demo;

import dev.onlyonce.Attempt;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Charges each payment once: the claim is on the disk before the charge, and what a dead worker has
 * left in doubt is decided by asking the bank.
 *
 * <p>The resolver may only say that a charge did not happen when it cannot happen any more. There
 * are two kinds of attempts that it could be overtaken by:
 *
 * <ul>
 *   <li>Those of dead workers, whose last charges may be on the way. The question is asked on this
 *       worker's connection, which the {@link Bank} serves only after it has read everything on all
 *       earlier connections, to their ends. A dead process sends nothing new, and this one was
 *       started when the one before was known to be dead.
 *   <li>Those of this process that were stalled for longer than their leases: see {@link
 *       ChargeGate}.
 * </ul>
 */
final class OnlyOnceHandler implements PaymentHandler {

  /**
   * How long a payment is blocked when its worker dies. A second is short: a claim that is held for
   * milliseconds in a process that is killed all the time need not be kept for the usual 30.
   */
  private static final Duration LEASE = Duration.ofSeconds(1);

  /** Each death uses up an attempt of the payments that were in flight, and there will be many. */
  private static final int ATTEMPTS = 2 * Plan.MOST_KILLS;

  /** A store that was chosen has other keys, too, and need not remember these. */
  private static final Duration RETENTION = Duration.ofHours(1);

  private static final Duration AT_ONCE = Duration.ofMillis(1);

  private final BankConnection bank;
  private final ChargeGate gate = new ChargeGate();
  private final OnlyOnce<String> once;

  private OnlyOnceHandler(ClaimStore store, Scope scope, BankConnection bank) {
    this.bank = bank;
    this.once =
        OnlyOnce.builder(store)
            .scope(scope.name())
            .results(ResultCodec.TEXT)
            .onInDoubt(this::wasItCharged)
            .onFailure(OnFailure.defaults().attempts(ATTEMPTS).doubtOn(IOException.class))
            .lease(LEASE)
            .retention(RETENTION)
            .build();
  }

  /**
   * Opens the store that the user has chosen, else one in this folder. It is open until the process
   * ends.
   */
  static OnlyOnceHandler open(Path folder, BankConnection bank) {
    ChosenStore chosen = ChosenStore.ofEnvironment();
    if (chosen == null) {
      return new OnlyOnceHandler(LocalStore.open(folder), Scope.of("charge"), bank);
    }
    ClaimStore combined = CombiningStore.over(chosen.open().claims());
    return new OnlyOnceHandler(combined, Scope.of("demo/" + chosen.run()), bank);
  }

  @Override
  public CompletableFuture<Duration> handle(Payment payment) {
    return once.attemptAsync(payment.key(), null, attempt -> charge(payment, attempt))
        .thenApply(OnlyOnceHandler::reply);
  }

  private CompletableFuture<String> charge(Payment payment, Attempt attempt) {
    if (!gate.enter(attempt.key(), attempt.token())) {
      throw new IllegalStateException("overtaken before " + payment + " was charged");
    }
    return bank.charge(payment)
        .thenApply(
            receipt -> {
              gate.leave(attempt.key(), attempt.token());
              return receipt.toString();
            });
  }

  private Resolver.Verdict<String> wasItCharged(Resolver.Doubt doubt) {
    if (!gate.close(doubt.key(), doubt.token())) {
      return new Resolver.Unknown<>();
    }
    long receipt = bank.lookUp(Payment.of(doubt.key())).join();
    return receipt == Ledger.NOT_CHARGED
        ? new Resolver.DidNotHappen<>()
        : new Resolver.Happened<>(Long.toString(receipt));
  }

  /** What is done is acknowledged; all else is delivered again when the outcome says. */
  private static Duration reply(Outcome<String> outcome) {
    if (outcome instanceof Outcome.Processed || outcome instanceof Outcome.Duplicate) {
      return Duration.ZERO;
    }
    if (outcome instanceof Outcome.InProgress<String> busy) {
      return Objects.requireNonNull(busy.retryAfter());
    }
    if (outcome instanceof Outcome.InDoubt<String> doubt) {
      return Objects.requireNonNull(doubt.askAgainAfter());
    }
    if (outcome instanceof Outcome.Deferred<String> deferred) {
      return deferred.left();
    }
    if (outcome instanceof Outcome.Released<String> released) {
      return released.retryAfter();
    }
    if (outcome instanceof Outcome.Lost) {
      return AT_ONCE;
    }
    throw new IllegalStateException("a callback cannot come to this: " + outcome);
  }
}
