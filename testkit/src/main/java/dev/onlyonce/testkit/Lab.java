package dev.onlyonce.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where a contract's test works: a store that is opened when it is first needed, and short words
 * for what tests do with it. Claims are made with a lease and settled with a retention that do not
 * end during a test, unless the test says otherwise.
 *
 * <p>Safe for use by several threads once the store is open.
 */
final class Lab implements AutoCloseable {

  static final Scope SCOPE = Scope.of("contract");

  /** More units than a test takes. */
  private static final int ENDLESS = 10_000;

  private static final int TRIES = 20;

  private final StoreFixture fixture;
  private final List<ClaimStore> opened = new ArrayList<>();
  private final AtomicInteger keys = new AtomicInteger();
  private @Nullable ClaimStore store;

  Lab(StoreFixture fixture) {
    this.fixture = fixture;
  }

  // The store.

  StoreFixture fixture() {
    return fixture;
  }

  synchronized ClaimStore store() {
    if (store == null) {
      store = closing(fixture.open(StoreSettings.defaults()));
    }
    return store;
  }

  /** Opens the store with settings of the test's own. */
  ClaimStore open(UnaryOperator<StoreSettings> settings) {
    return use(fixture.open(settings.apply(StoreSettings.defaults())));
  }

  /** Goes on with this store, or with another handle on it. */
  synchronized ClaimStore use(ClaimStore other) {
    store = opened.contains(other) ? other : closing(other);
    return other;
  }

  private ClaimStore closing(ClaimStore other) {
    opened.add(other);
    return other;
  }

  @Override
  public synchronized void close() {
    opened.forEach(ClaimStore::close);
  }

  // Time.

  Duration units(double count) {
    return Duration.ofNanos((long) (fixture.unit().toNanos() * count));
  }

  Duration endless() {
    return units(ENDLESS);
  }

  void pass(double units) {
    fixture.pass(units(units));
  }

  /** Tells whether time stands still unless the test moves it. */
  boolean isManual() {
    return fixture instanceof ManualClockContract;
  }

  /** Returns the clock by which time passes for the store: the manual one, or this machine's. */
  long nanoTime() {
    return fixture instanceof ManualClockContract manual
        ? manual.time().nanoTime()
        : System.nanoTime();
  }

  /**
   * Plays a scenario that needs the machine to be quicker than the leases in it; where it was not,
   * the scenario is played again, with other keys.
   */
  void play(Consumer<Timeline> scenario) {
    for (int i = 1; ; i++) {
      try {
        scenario.accept(new Timeline(this));
        return;
      } catch (Timeline.Late e) {
        if (i == TRIES) {
          throw new AssertionError(
              "the machine was too slow " + TRIES + " times: make unit() longer", e);
        }
      }
    }
  }

  // Requests.

  /** Returns a key that no other test has. */
  Key key() {
    return Key.of("key", Integer.toString(keys.incrementAndGet()));
  }

  List<Key> keys(int count) {
    List<Key> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(key());
    }
    return keys;
  }

  static long newRequestId() {
    return ThreadLocalRandom.current().nextLong();
  }

  ClaimRequest request(Key key) {
    return request(key, endless());
  }

  ClaimRequest request(Key key, Duration lease) {
    return request(SCOPE, key, lease, Lapse.TAKE);
  }

  ClaimRequest parking(Key key) {
    return request(SCOPE, key, endless(), Lapse.PARK);
  }

  ClaimRequest request(Scope scope, Key key, Duration lease, Lapse lapse) {
    return new ClaimRequest(
        scope, key, newRequestId(), null, lease, endless(), lapse, null, ClaimRequest.ANY);
  }

  ClaimRequest settlingNow(Key key, Result result) {
    return request(key).settlingNow(result, endless());
  }

  /** Returns a request for the same by another caller. */
  static ClaimRequest byAnother(ClaimRequest request) {
    return new ClaimRequest(
        request.scope(),
        request.key(),
        newRequestId(),
        request.fingerprint(),
        request.lease(),
        request.retention(),
        request.lapse(),
        request.settleNow(),
        request.expectToken());
  }

  // Claims.

  List<Answer> ask(List<ClaimRequest> batch) {
    List<Answer> answers = store().claim(batch);
    assertThat(answers).as("one answer for each request").hasSameSizeAs(batch);
    return answers;
  }

  Answer ask(ClaimRequest request) {
    return ask(List.of(request)).get(0);
  }

  /** Asks for the key as a newcomer does. */
  Answer ask(Key key) {
    return ask(request(key));
  }

  /** Asks, and must be granted the claim. */
  Answer.Claimed granted(ClaimRequest request) {
    Answer answer = ask(request);
    assertThat(answer).as("answer to " + request).isInstanceOf(Answer.Claimed.class);
    Answer.Claimed claimed = (Answer.Claimed) answer;
    assertThat(claimed.claim().scope()).isEqualTo(request.scope());
    assertThat(claimed.claim().key()).isEqualTo(request.key());
    assertThat(claimed.claim().token()).as("token").isPositive();
    return claimed;
  }

  Claim claim(ClaimRequest request) {
    return granted(request).claim();
  }

  Claim claim(Key key) {
    return claim(request(key));
  }

  /** Claims the key, with a larger token than this claim's. */
  Claim claimAfter(Claim earlier, ClaimRequest request) {
    Claim claim = claim(request);
    assertThat(claim.token()).as("a later claim's token").isGreaterThan(earlier.token());
    return claim;
  }

  Claim claimAfter(Claim earlier) {
    return claimAfter(earlier, request(earlier.scope(), earlier.key(), endless(), Lapse.TAKE));
  }

  // Settlements and renewals.

  Held settle(Settlement settlement) {
    List<Held> answers = store().settle(List.of(settlement));
    assertThat(answers).as("one answer for each settlement").hasSize(1);
    return answers.get(0);
  }

  Held complete(Claim claim) {
    return complete(claim, Result.NONE);
  }

  Held complete(Claim claim, Result result) {
    return settle(new Settlement.Complete(claim, result, endless()));
  }

  Held fail(Claim claim) {
    return fail(claim, "it cannot be handled");
  }

  Held fail(Claim claim, String reason) {
    return settle(new Settlement.Fail(claim, reason, endless()));
  }

  Held release(Claim claim) {
    return release(claim, Duration.ZERO);
  }

  Held release(Claim claim, Duration after) {
    return release(claim, after, Attempts.KEEP);
  }

  Held release(Claim claim, Duration after, Attempts attempts) {
    return settle(new Settlement.Release(claim, after, attempts, endless()));
  }

  Held renew(Claim claim, Duration lease) {
    return renew(claim, lease, null);
  }

  Held renew(Claim claim, Duration lease, byte @Nullable [] checkpoint) {
    List<Held> answers = store().renew(List.of(new Renewal(claim, lease, checkpoint)));
    assertThat(answers).as("one answer for each renewal").hasSize(1);
    return answers.get(0);
  }

  /** Lets the lease of a held claim run out at once. */
  void lapse(Claim claim) {
    assertThat(renew(claim, Duration.ZERO)).as("renewal with lease zero").isEqualTo(Held.HELD);
  }

  /** Purges until there is nothing left to do; returns how many records that were. */
  int purge() {
    int purged = 0;
    for (int i = 0; i < 10_000; i++) {
      int step = store().purge(100);
      assertThat(step).as("purged").isBetween(0, 100);
      if (step == 0) {
        return purged;
      }
      purged += step;
    }
    throw new AssertionError("purge never said that there is nothing left to do");
  }

  // What must be so.

  void assertHeld(Held answer) {
    assertThat(answer).isEqualTo(Held.HELD);
  }

  void assertLost(Held answer) {
    assertThat(answer).isEqualTo(Held.LOST);
  }

  void assertDone(Answer answer, Result result) {
    assertThat(answer).isInstanceOf(Answer.Done.class);
    assertThat(((Answer.Done) answer).result()).isEqualTo(result);
  }

  void assertDone(Key key, Result result) {
    assertDone(ask(key), result);
  }

  void assertInProgress(Key key) {
    assertThat(ask(key)).isInstanceOf(Answer.InProgress.class);
  }

  /** The holder must be as if nothing had happened: others are refused, its completion counts. */
  void assertUnharmed(Claim holder) {
    Result result = text("the holder's own");
    assertThat(ask(request(holder.scope(), holder.key(), endless(), Lapse.TAKE)))
        .as("a claim while the holder works")
        .isInstanceOf(Answer.InProgress.class);
    assertThat(complete(holder, result)).as("the holder's completion").isEqualTo(Held.HELD);
    assertDone(ask(request(holder.scope(), holder.key(), endless(), Lapse.TAKE)), result);
  }

  /**
   * A duration that a store has measured must be what has passed since {@code since}, to a few
   * milliseconds where time is manual.
   */
  void assertPassed(Duration actual, long since) {
    Duration most = Duration.ofNanos(nanoTime() - since);
    assertThat(actual).as("passed").isBetween(Duration.ZERO, most.plusMillis(2));
    if (isManual()) {
      assertThat(actual).as("passed").isGreaterThanOrEqualTo(most.minusMillis(2));
    }
  }

  /** What is left must be the whole less what has passed since {@code since}. */
  void assertLeft(Duration actual, Duration whole, long since) {
    assertThat(actual).as("left").isBetween(Duration.ZERO, whole.plusMillis(2));
    assertPassed(whole.compareTo(actual) > 0 ? whole.minus(actual) : Duration.ZERO, since);
  }

  static Result text(String value) {
    return new Result.Value("text/plain", value.getBytes(UTF_8));
  }
}
