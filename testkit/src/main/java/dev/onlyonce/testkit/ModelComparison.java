package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Makes the same random calls to a store and to the {@link ModelStore}, by one thread, and compares
 * the answers.
 *
 * <p>Where time is manual it passes during the run, and durations are compared too. Where it is
 * not, leases and retentions are endless or, by a renewal, over at once.
 *
 * <p>Tokens are a store's own: each of the model's has a counterpart of the store's.
 */
final class ModelComparison {

  private static final int KEYS = 4;

  private record KeyAndToken(Key key, long token) {}

  private final Lab lab;
  private final long seed;
  private final Random random;
  private final ModelStore model;
  private final List<Key> keys;
  private final List<Claim> claims = new ArrayList<>();
  private final List<ClaimRequest> requests = new ArrayList<>();
  private final Map<KeyAndToken, Long> tokens = new HashMap<>();
  private final List<String> story = new ArrayList<>();

  ModelComparison(Lab lab, long seed) {
    this.lab = lab;
    this.seed = seed;
    this.random = new Random(seed);
    this.keys = lab.keys(KEYS);
    lab.store();
    ManualTime time =
        lab.fixture() instanceof ManualClockContract manual ? manual.time() : new ManualTime();
    this.model = new ModelStore(time, StoreSettings.defaults());
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      int verb = random.nextInt(20);
      if (verb < 10 || claims.isEmpty()) {
        claim();
      } else if (verb < 15) {
        settle();
      } else if (verb < 18) {
        renew();
      } else if (lab.isManual()) {
        lab.fixture().pass(some());
      }
    }
  }

  /** A duration that is over soon where time is manual, and never where it is not. */
  private Duration some() {
    return lab.isManual() ? lab.units(1 + random.nextInt(10)) : lab.endless();
  }

  private Duration someOrNone() {
    return random.nextBoolean() ? Duration.ZERO : some();
  }

  private @Nullable Fingerprint someFingerprint() {
    int which = random.nextInt(12);
    return which < 2 ? Fingerprint.sha256(new byte[] {(byte) which}) : null;
  }

  private Result someResult() {
    return switch (random.nextInt(4)) {
      case 0 -> Result.NOT_KEPT;
      case 1 -> Lab.text("result " + random.nextInt(3));
      default -> Result.NONE;
    };
  }

  private void claim() {
    List<ClaimRequest> batch = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      batch.add(someRequest());
    }
    List<Answer> expected = model.claim(batch);
    List<Answer> actual = lab.ask(batch.stream().map(this::ofStore).toList());
    for (int i = 0; i < batch.size(); i++) {
      story.add(batch.get(i) + " -> " + expected.get(i));
      compare(batch.get(i).key(), expected.get(i), actual.get(i));
      if (expected.get(i) instanceof Answer.Claimed claimed) {
        claims.add(claimed.claim());
      }
    }
    requests.addAll(batch);
  }

  private ClaimRequest someRequest() {
    if (!requests.isEmpty() && random.nextInt(8) == 0) {
      return requests.get(random.nextInt(requests.size()));
    }
    Key key = keys.get(random.nextInt(KEYS));
    long expected = ClaimRequest.ANY;
    if (!claims.isEmpty() && random.nextInt(8) == 0) {
      Claim claim = someClaim();
      key = claim.key();
      expected = claim.token();
    }
    return new ClaimRequest(
        Lab.SCOPE,
        key,
        random.nextLong(),
        someFingerprint(),
        some(),
        some(),
        random.nextInt(3) == 0 ? Lapse.PARK : Lapse.TAKE,
        random.nextInt(6) == 0 ? someResult() : null,
        expected);
  }

  private Claim someClaim() {
    int last = claims.size() - 1;
    return claims.get(random.nextBoolean() ? last : random.nextInt(claims.size()));
  }

  private void settle() {
    List<Settlement> batch = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      batch.add(someSettlement(someClaim()));
    }
    List<Held> expected = model.settle(batch);
    List<Held> actual = lab.store().settle(batch.stream().map(this::ofStore).toList());
    story.add(batch + " -> " + expected);
    assertThat(actual).as(story()).isEqualTo(expected);
  }

  private Settlement someSettlement(Claim claim) {
    return switch (random.nextInt(5)) {
      case 0, 1 -> new Settlement.Complete(claim, someResult(), some());
      case 2 -> new Settlement.Fail(claim, "reason " + random.nextInt(3), some());
      default -> {
        Attempts attempts = List.of(Attempts.values()).get(random.nextInt(3));
        yield new Settlement.Release(claim, someOrNone(), attempts, some());
      }
    };
  }

  private void renew() {
    Claim claim = someClaim();
    byte[] checkpoint = random.nextBoolean() ? null : new byte[] {(byte) random.nextInt(5)};
    Renewal renewal = new Renewal(claim, someOrNone(), checkpoint);
    Held expected = model.renew(renewal);
    Held actual =
        lab.store().renew(List.of(new Renewal(ofStore(claim), renewal.lease(), checkpoint))).get(0);
    story.add(renewal + " -> " + expected);
    assertThat(actual).as(story()).isEqualTo(expected);
  }

  // The model's tokens and the store's.

  private long ofStore(Key key, long token) {
    return tokens.getOrDefault(new KeyAndToken(key, token), token);
  }

  private Claim ofStore(Claim claim) {
    long token = ofStore(claim.key(), claim.token());
    return new Claim(claim.scope(), claim.key(), token, claim.attempt());
  }

  private ClaimRequest ofStore(ClaimRequest request) {
    return request.expecting(ofStore(request.key(), request.expectToken()));
  }

  private Settlement ofStore(Settlement settlement) {
    Claim claim = ofStore(settlement.claim());
    Duration retention = settlement.retention();
    if (settlement instanceof Settlement.Complete complete) {
      return new Settlement.Complete(claim, complete.result(), retention);
    }
    if (settlement instanceof Settlement.Fail fail) {
      return new Settlement.Fail(claim, fail.reason(), retention);
    }
    Settlement.Release release = (Settlement.Release) settlement;
    return new Settlement.Release(claim, release.after(), release.attempts(), retention);
  }

  // The comparison.

  private void compare(Key key, Answer expected, Answer actual) {
    assertThat(actual).as(story()).isInstanceOf(expected.getClass());
    if (expected instanceof Answer.Claimed model && actual instanceof Answer.Claimed store) {
      tokens.putIfAbsent(new KeyAndToken(key, model.claim().token()), store.claim().token());
      assertThat(store.claim()).as(story()).isEqualTo(ofStore(model.claim()));
      assertThat(Arrays.equals(store.checkpoint(), model.checkpoint()))
          .as("checkpoint; " + story())
          .isTrue();
    }
    assertThat(withoutTimeAndToken(actual)).as(story()).isEqualTo(withoutTimeAndToken(expected));
    if (lab.isManual()) {
      assertThat(time(actual)).as(story()).isEqualTo(time(expected));
    }
    if (expected instanceof Answer.InDoubt model && actual instanceof Answer.InDoubt store) {
      assertThat(store.token()).as(story()).isEqualTo(ofStore(key, model.token()));
    }
  }

  private static Object withoutTimeAndToken(Answer answer) {
    if (answer instanceof Answer.Done done) {
      return List.of(done.result(), done.compared());
    }
    if (answer instanceof Answer.Failed failed) {
      return failed.reason();
    }
    if (answer instanceof Answer.Mismatch) {
      return answer;
    }
    return answer instanceof Answer.InDoubt doubt ? doubt.attempt() : answer.getClass();
  }

  private static Duration time(Answer answer) {
    if (answer instanceof Answer.Claimed claimed) {
      return claimed.lease();
    }
    if (answer instanceof Answer.Done done) {
      return done.age();
    }
    if (answer instanceof Answer.Failed failed) {
      return failed.age();
    }
    if (answer instanceof Answer.InProgress inProgress) {
      return inProgress.leaseLeft();
    }
    return answer instanceof Answer.Deferred deferred ? deferred.left() : Duration.ZERO;
  }

  private String story() {
    List<String> last = story.subList(Math.max(0, story.size() - 30), story.size());
    return "seed " + seed + ", the model's last steps:\n" + String.join("\n", last) + "\n";
  }
}
