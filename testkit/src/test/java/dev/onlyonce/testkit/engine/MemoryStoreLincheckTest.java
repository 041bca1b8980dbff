package dev.onlyonce.testkit.engine;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.testkit.ManualTime;
import java.time.Duration;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.LongGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Whatever threads ask of a memory store at once, there is an order in which they could have asked
 * one after the other. Time stands still, so tokens are the first one's and those that follow it.
 *
 * <p>The class is also its own sequential specification, so it has an instance for every run.
 */
@Param(name = "key", gen = IntGen.class, conf = "1:2")
@Param(name = "request", gen = LongGen.class, conf = "1:3")
@Param(name = "token", gen = LongGen.class, conf = "0:2")
public class MemoryStoreLincheckTest {

  private static final Scope SCOPE = Scope.of("lincheck");
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration RETENTION = Duration.ofDays(7);

  private final ManualTime time = new ManualTime();
  private final MemoryStore store = MemoryStore.builder().time(time).forgetful().build();

  private static Key key(int number) {
    return Key.of("k" + number);
  }

  private Claim held(int key, long token) {
    return new Claim(SCOPE, key(key), time.millis() * 1_000 + token, 1);
  }

  @Operation
  public String claim(@Param(name = "key") int key, @Param(name = "request") long request) {
    return store
        .claim(List.of(ClaimRequest.of(SCOPE, key(key), request, LEASE, Lapse.TAKE)))
        .toString();
  }

  @Operation
  public Held complete(@Param(name = "key") int key, @Param(name = "token") long token) {
    return settle(new Settlement.Complete(held(key, token), Result.NONE, RETENTION));
  }

  @Operation
  public Held release(@Param(name = "key") int key, @Param(name = "token") long token) {
    return settle(
        new Settlement.Release(held(key, token), Duration.ZERO, Attempts.KEEP, RETENTION));
  }

  private Held settle(Settlement settlement) {
    return store.settle(List.of(settlement)).get(0);
  }

  /** Gives the lease up, so that the next claim takes over. */
  @Operation
  public Held lapse(@Param(name = "key") int key, @Param(name = "token") long token) {
    return store.renew(List.of(new Renewal(held(key, token), Duration.ZERO, null))).get(0);
  }

  @Test
  void every_result_under_stress_has_an_order() {
    new StressOptions()
        .iterations(10)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(3)
        .check(MemoryStoreLincheckTest.class);
  }
}
