package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.claims.Lookup;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.local.LocalReader;
import dev.onlyonce.store.local.LocalStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A local store, written by a worker an hour ago. */
final class FilledStore implements AutoCloseable {

  static final Scope BILLING = Scope.of("billing");
  static final Scope MAIL = Scope.of("mail");
  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final Path directory;
  private final LocalStore store;

  private FilledStore(Path directory, LocalStore.Builder builder) {
    this.directory = directory;
    this.store = builder.owner("worker-1").trustClock().open();
  }

  /** An hour ago, so that leases are over. */
  static FilledStore at(Path directory) {
    return at(directory, Duration.ofHours(1));
  }

  static FilledStore at(Path directory, Duration ago) {
    return new FilledStore(directory, LocalStore.at(directory).time(new Earlier(ago)));
  }

  /** Does not sync: for thousands of keys. */
  static FilledStore large(Path directory) {
    LocalStore.Builder builder = LocalStore.at(directory).withoutSync();
    return new FilledStore(directory, builder.time(new Earlier(Duration.ofHours(1))));
  }

  /** The clocks as they were some time ago. */
  private record Earlier(Duration ago) implements Time {
    @Override
    public Instant instant() {
      return Time.system().instant().minus(ago);
    }

    @Override
    public long nanoTime() {
      return Time.system().nanoTime();
    }
  }

  Claim claim(Scope scope, Key key, Duration lease, Lapse lapse) {
    long requestId = ThreadLocalRandom.current().nextLong();
    ClaimRequest request = ClaimRequest.of(scope, key, requestId, lease, lapse);
    return ((Answer.Claimed) store.claim(List.of(request)).get(0)).claim();
  }

  /** Tells what a worker is answered now. */
  static Answer ask(Path directory, Scope scope, String key) {
    try (LocalStore store = LocalStore.at(directory).trustClock().open()) {
      long requestId = ThreadLocalRandom.current().nextLong();
      return store
          .claim(List.of(ClaimRequest.of(scope, Lookup.key(key), requestId, LEASE, Lapse.PARK)))
          .get(0);
    }
  }

  static ClaimRecord find(Path directory, Scope scope, String key) {
    try (LocalReader reader = LocalReader.open(directory)) {
      return reader.find(scope, Lookup.key(key)).orElseThrow();
    }
  }

  FilledStore done(Scope scope, String key, String result) {
    Claim claim = claim(scope, Lookup.key(key), LEASE, Lapse.PARK);
    Result value = new Result.Value("text/plain", result.getBytes(UTF_8));
    return settle(new Settlement.Complete(claim, value, WEEK));
  }

  FilledStore failed(Scope scope, String key, String reason) {
    return failed(scope, key, reason, WEEK);
  }

  FilledStore failed(Scope scope, String key, String reason, Duration kept) {
    return settle(
        new Settlement.Fail(claim(scope, Lookup.key(key), LEASE, Lapse.PARK), reason, kept));
  }

  FilledStore released(Scope scope, String key, Duration after) {
    Claim claim = claim(scope, Lookup.key(key), LEASE, Lapse.PARK);
    return settle(new Settlement.Release(claim, after, Attempts.KEEP, WEEK));
  }

  /** Claims a key whose holder then dies, and nobody may take over. */
  FilledStore inDoubt(Scope scope, String key) {
    Claim claim = claim(scope, Lookup.key(key), LEASE, Lapse.PARK);
    store.renew(List.of(new Renewal(claim, LEASE, new byte[] {1, 2, 3})));
    return this;
  }

  /** Claims a key whose holder then dies, and the next one takes over. */
  FilledStore lapsed(Scope scope, String key) {
    claim(scope, Lookup.key(key), LEASE, Lapse.TAKE);
    return this;
  }

  /** Claims a key with a lease that has not ended. */
  FilledStore claimed(Scope scope, String key, Lapse lapse) {
    claim(scope, Lookup.key(key), Duration.ofHours(3), lapse);
    return this;
  }

  FilledStore settle(Settlement settlement) {
    store.settle(List.of(settlement));
    return this;
  }

  Path directory() {
    return directory;
  }

  @Override
  public void close() {
    store.close();
  }
}
