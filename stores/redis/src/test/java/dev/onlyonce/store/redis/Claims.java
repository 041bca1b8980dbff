package dev.onlyonce.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Short words for what tests do with claims. */
final class Claims {

  static final Scope SCOPE = Scope.of("orders");
  static final Duration LONG = Duration.ofHours(1);

  private Claims() {}

  static ClaimRequest request(Key key) {
    long id = ThreadLocalRandom.current().nextLong();
    return ClaimRequest.of(SCOPE, key, id, LONG, Lapse.TAKE);
  }

  static ClaimRequest request(String key) {
    return request(Key.of(key));
  }

  static Claim claim(ClaimStore store, String key) {
    return claimed(store.claim(List.of(request(key))).get(0));
  }

  static Claim claimed(Answer answer) {
    assertThat(answer).isInstanceOf(Answer.Claimed.class);
    return ((Answer.Claimed) answer).claim();
  }

  static Answer ask(ClaimStore store, String key) {
    return store.claim(List.of(request(key))).get(0);
  }

  static List<ClaimRequest> requests(String prefix, int count) {
    List<ClaimRequest> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(request(prefix + i));
    }
    return requests;
  }

  static Settlement done(Claim claim) {
    return new Settlement.Complete(claim, Result.NONE, LONG);
  }

  static Result text(String text) {
    return new Result.Value("text/plain", text.getBytes(UTF_8));
  }
}
