package dev.onlyonce.store.tiered.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Time;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NearCacheTest {

  private static final Scope SCOPE = Scope.of("orders");
  private static final Duration HOUR = Duration.ofHours(1);

  private static RecordId id(String key) {
    return new RecordId(SCOPE, Key.of(key));
  }

  private static ClaimRecord copy(RecordId id, long token) {
    Above.OpenClaim open = new Above.OpenClaim(token, 1, null);
    dev.onlyonce.Claim claim = new dev.onlyonce.Claim(id.scope(), id.key(), token, 1);
    AuthorityClock.Moment now = new AuthorityClock.Moment(1_000, 1_000);
    return Records.done(id, new Above.Completion(claim, open, Result.NONE, HOUR), now, now);
  }

  @Test
  @Semantics({23, 24})
  void a_mark_is_not_evicted_however_many_copies_come() {
    NearCache cache = new NearCache(1 << 16, HOUR, Time.system());
    long before = Time.system().nanoTime();
    for (int i = 0; i < 1_000; i++) {
      cache.mark(id("opened-" + i), 8);
    }
    for (int i = 0; i < 10_000; i++) {
      cache.offer(id("other-" + i), copy(id("other-" + i), 5), Time.system().nanoTime());
    }
    for (int i = 0; i < 1_000; i++) {
      RecordId id = id("opened-" + i);
      cache.offer(id, copy(id, 7), before);
      assertThat(cache.get(id)).as("a copy of before it was opened").isNull();
    }
  }
}
