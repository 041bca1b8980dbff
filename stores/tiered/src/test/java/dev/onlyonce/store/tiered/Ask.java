package dev.onlyonce.store.tiered;

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
import dev.onlyonce.spi.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Short words for what tests ask a store. */
final class Ask {

  static final Scope SCOPE = Scope.of("orders");
  static final Duration LONG = Duration.ofHours(1);

  private Ask() {}

  static ClaimRequest request(Key key) {
    long id = ThreadLocalRandom.current().nextLong();
    return ClaimRequest.of(SCOPE, key, id, LONG, Lapse.TAKE);
  }

  static ClaimRequest request(String key) {
    return request(Key.of(key));
  }

  static Answer ask(ClaimStore store, ClaimRequest request) {
    return store.claim(List.of(request)).get(0);
  }

  static Answer ask(ClaimStore store, String key) {
    return ask(store, request(key));
  }

  static Claim claim(ClaimStore store, ClaimRequest request) {
    Answer answer = ask(store, request);
    assertThat(answer).isInstanceOf(Answer.Claimed.class);
    return ((Answer.Claimed) answer).claim();
  }

  static Claim claim(ClaimStore store, String key) {
    return claim(store, request(key));
  }

  static Claim complete(ClaimStore store, String key, Result result) {
    Claim claim = claim(store, key);
    assertThat(settle(store, new Settlement.Complete(claim, result, LONG))).isEqualTo(Held.HELD);
    return claim;
  }

  static Claim complete(ClaimStore store, String key) {
    return complete(store, key, text("of " + key));
  }

  static Held settle(ClaimStore store, Settlement settlement) {
    return store.settle(List.of(settlement)).get(0);
  }

  /** What an operator does: opens the record by its token and releases it. */
  static void reset(ClaimStore store, Claim done) {
    ClaimRequest opening = request(done.key()).expecting(done.token());
    Claim opened = claim(store, opening);
    Settlement release =
        new Settlement.Release(opened, Duration.ZERO, Settlement.Attempts.RESET, LONG);
    assertThat(settle(store, release)).isEqualTo(Held.HELD);
  }

  static Result text(String text) {
    return new Result.Value("text/plain", text.getBytes(UTF_8));
  }

  static void assertDone(Answer answer, Result result) {
    assertThat(answer).isInstanceOf(Answer.Done.class);
    assertThat(((Answer.Done) answer).result()).isEqualTo(result);
  }
}
