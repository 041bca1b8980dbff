package dev.onlyonce.examples;

import dev.onlyonce.Backoff;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Locks;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.json.JsonFingerprint;
import dev.onlyonce.json.JsonKeys;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.store.local.LocalStore;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The pieces of docs/guides/library.md; a test compares them and runs them. */
final class LibraryGuide {

  private final ClaimStore store;
  private final Bank bank;

  LibraryGuide(ClaimStore store, Bank bank) {
    this.store = store;
    this.bank = bank;
  }

  /** Something that charges cards and knows what it has charged. */
  interface Bank {
    String charge(String order, long token);

    Optional<String> receiptOf(Key key);

    void refuseUpTo(Key key, long token);

    void remind(String order);
  }

  // region key
  Key paid(String order) {
    return Key.of(order, "paid");
  }

  // endregion

  // region json
  Outcome<String> take(OnlyOnce<String> once, byte[] message) {
    return once.attempt(
        JsonKeys.at("/order/id", "/status").extract(message, 0, message.length),
        JsonFingerprint.without("/sentAt").of(message),
        attempt -> bank.charge(attempt.key().toString(), attempt.token()));
  }

  // endregion

  // region engine
  OnlyOnce<String> engine() {
    return OnlyOnce.builder(store)
        .scope("billing")
        .results(ResultCodec.TEXT)
        .onInDoubt(this::wasItCharged)
        .onInProgress(OnInProgress.waitUpTo(Duration.ofSeconds(5)))
        .onFailure(
            OnFailure.defaults()
                .attempts(5)
                .backoff(Backoff.exponential(Duration.ofMillis(200), 2, Duration.ofSeconds(30)))
                .failOn(IllegalArgumentException.class)
                .doubtOn(SocketTimeoutException.class))
        .lease(Duration.ofSeconds(30))
        .retention(Duration.ofDays(14))
        .build();
  }

  // endregion

  // region derive
  void remind(OnlyOnce<String> once, String order) {
    OnlyOnce<Void> mails =
        once.derive().scope("mail").results(ResultCodec.NONE).onInDoubt(OnInDoubt.RERUN).build();
    mails.run("reminder/" + order, () -> bank.remind(order));
  }

  // endregion

  // region resolver
  Resolver.Verdict<String> wasItCharged(Resolver.Doubt doubt) {
    bank.refuseUpTo(doubt.key(), doubt.token()); // so that no earlier attempt can still arrive
    Optional<String> receipt = bank.receiptOf(doubt.key());
    return receipt.isPresent()
        ? new Resolver.Happened<>(receipt.get())
        : new Resolver.DidNotHappen<>();
  }

  // endregion

  // region decide
  boolean wasCharged(MemoryStore store, Scope scope, Key key, String receipt) {
    ClaimRecord record = store.find(scope, key).orElseThrow();
    ClaimRequest decision =
        ClaimRequest.of(scope, key, new SecureRandom().nextLong(), Limits.LEASE, Lapse.PARK)
            .expecting(record.token())
            .settlingNow(ResultCodec.TEXT.encode(receipt), Limits.RETENTION);
    // If it is not granted, the record has changed meanwhile: look again.
    return store.claim(List.of(decision)).get(0) instanceof Answer.Claimed;
  }

  // endregion

  // region fencing
  String charge(OnlyOnce<String> once, String order) {
    return once.process(paid(order), attempt -> bank.charge(order, attempt.token()));
  }

  // endregion

  // region outcome
  String handle(OnlyOnce<String> once, String order, byte[] payload) {
    Outcome<String> outcome =
        once.attempt(
            paid(order),
            Fingerprint.sha256(payload),
            attempt -> bank.charge(order, attempt.token()));
    if (outcome instanceof Outcome.Processed<String> processed) {
      return "charged: " + processed.result();
    }
    if (outcome instanceof Outcome.Duplicate<String> duplicate) {
      return "charged before: " + duplicate.result();
    }
    if (outcome instanceof Outcome.Mismatch<String>) {
      return "refused: the same order with another payload";
    }
    return "not now: " + outcome;
  }

  // endregion

  // region async
  CompletableFuture<Outcome<String>> later(OnlyOnce<String> once, String order) {
    return once.attemptAsync(
        paid(order),
        null,
        attempt -> CompletableFuture.supplyAsync(() -> bank.charge(order, attempt.token())));
  }

  // endregion

  // region lock
  boolean closeTheBooks(Locks locks, String day) {
    Optional<Locks.Lock> lock = locks.lock("books-" + day, Duration.ofSeconds(2));
    if (lock.isEmpty()) {
      return false;
    }
    try (Locks.Lock held = lock.get()) {
      return bank.charge("books-" + day, held.token()) != null;
    }
  }

  // endregion

  // region durable
  String chargeDurably(Path directory, String order) {
    try (LocalStore store = LocalStore.open(directory);
        OnlyOnce<String> once =
            OnlyOnce.builder(store)
                .scope("billing")
                .results(ResultCodec.TEXT)
                .onInDoubt(this::wasItCharged)
                .build()) {
      return charge(once, order);
    }
  }

  // endregion

  // region combine
  OnlyOnce<Void> combining() {
    return OnlyOnce.builder(CombiningStore.over(store))
        .scope("mail")
        .onInDoubt(OnInDoubt.RERUN)
        .build();
  }

  // endregion

  static MemoryStore memory() {
    return MemoryStore.builder().forgetful().build();
  }
}
