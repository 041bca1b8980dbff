package dev.onlyonce.app.dedup;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.MemoryStore;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.ReadSettings;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.app.output.RecordWriter;
import dev.onlyonce.app.output.Rejects;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run does about its leases, on a store for which time goes on while it answers. */
class KeysInStoreTest {

  private static final Scope SCOPE = Scope.of("job");
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private final MemoryStore store = MemoryStore.builder().time(time).build();
  private final List<String> notices = new ArrayList<>();

  @Test
  void on_a_slow_store_few_are_claimed_at_a_time_and_all_are_settled_well_within_their_lease()
      throws IOException {
    Slow slow = new Slow(Duration.ofMillis(450));

    run(slow, keys(10_000, 50_000));

    assertThat(Files.readAllLines(folder.resolve("out"))).hasSize(40_000);
    assertThat(slow.answers).hasSize(40_000).containsOnly(Held.HELD);
    assertThat(slow.mostClaimed).isLessThanOrEqualTo(5_000);
    assertThat(slow.oldestSettled).isLessThan(Limits.LEASE.dividedBy(2));
  }

  @Test
  void on_a_fast_store_no_more_is_claimed_at_a_time_than_is_said() throws IOException {
    Slow fast = new Slow(Duration.ZERO);

    run(fast, keys(10_000, 50_000));

    assertThat(fast.mostClaimed).isEqualTo(5_000);
  }

  /** Another run has taken the key over, and has written its record. */
  @Test
  void an_answer_that_took_longer_than_the_lease_is_not_believed() throws IOException {
    Slow stalling = new Slow(Duration.ZERO);
    stalling.afterClaim =
        claimed -> {
          time.advance(Limits.LEASE.plusSeconds(1));
          anotherRunPasses(claimed.get(0));
        };

    run(stalling, keys(1, 4));

    assertThat(folder.resolve("out")).hasContent("2\n3\n");
    assertThat(stalling.answers).containsOnly(Held.HELD);
  }

  @Test
  void a_run_whose_claim_was_taken_over_before_it_was_settled_does_not_end_as_if_all_were_well() {
    Slow stalling = new Slow(Duration.ZERO);
    stalling.beforeSettle =
        claimed -> {
          time.advance(Limits.LEASE.plusSeconds(1));
          anotherRunPasses(claimed.get(0));
        };

    assertThatThrownBy(() -> run(stalling, keys(1, 4)))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("1 key could not be completed")
        .hasMessageContaining("may be in both outputs");
  }

  private void anotherRunPasses(Claim key) {
    ClaimRequest request =
        ClaimRequest.of(SCOPE, key.key(), 4_711, Limits.LEASE, Lapse.TAKE)
            .settlingNow(Result.NONE, DAY);
    assertThat(store.claim(List.of(request)).get(0)).isInstanceOf(Answer.Claimed.class);
  }

  private static String keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(joining());
  }

  private void run(ClaimStore claims, String lines) throws IOException {
    List<Input> inputs = List.of(Input.file(Files.writeString(folder.resolve("in"), lines)));
    RecordReader reader = new RecordReader(inputs, ReadSettings.defaults());
    Rejects rejects = Rejects.badRecords("fail", sentence -> {});
    try (KeysInStore seen = new KeysInStore(claims, claims::close, SCOPE, notices::add, time);
        Outputs outputs = new Outputs(inputs, seen.marks())) {
      RecordWriter out = outputs.file("--out", folder.resolve("out"));
      new Dedup(seen, DAY, null, new Destinations(out, null, rejects, rejects, rejects))
          .run(reader, new KeyExpressions(List.of(), null), outputs);
      seen.requireKept();
    }
  }

  /** What may happen to claims meanwhile. */
  private interface Meanwhile {
    void happens(List<Claim> claims);
  }

  /** A store that needs time to answer, and watches what is held. */
  private final class Slow implements ClaimStore {
    private final Duration delay;
    private final Map<Claim, Long> claimedNanos = new HashMap<>();
    private final List<Held> answers = new ArrayList<>();
    private int mostClaimed;
    private Duration oldestSettled = Duration.ZERO;
    private Meanwhile afterClaim = claims -> {};
    private Meanwhile beforeSettle = claims -> {};

    Slow(Duration delay) {
      this.delay = delay;
    }

    @Override
    public List<Answer> claim(List<ClaimRequest> batch) {
      List<Answer> given = store.claim(batch);
      List<Claim> granted = new ArrayList<>();
      for (Answer answer : given) {
        if (answer instanceof Answer.Claimed claimed) {
          granted.add(claimed.claim());
          claimedNanos.put(claimed.claim(), time.nanoTime());
        }
      }
      mostClaimed = Math.max(mostClaimed, claimedNanos.size());
      time.advance(delay);
      once(granted, afterClaim);
      afterClaim = claims -> {};
      return given;
    }

    private static void once(List<Claim> claims, Meanwhile meanwhile) {
      if (!claims.isEmpty()) {
        meanwhile.happens(claims);
      }
    }

    @Override
    public List<Held> settle(List<? extends Settlement> batch) {
      once(batch.stream().map(Settlement::claim).toList(), beforeSettle);
      beforeSettle = claims -> {};
      time.advance(delay);
      List<Held> given = store.settle(batch);
      for (int i = 0; i < batch.size(); i++) {
        long age = time.nanoTime() - claimedNanos.remove(batch.get(i).claim());
        oldestSettled = Duration.ofNanos(Math.max(oldestSettled.toNanos(), age));
        if (batch.get(i) instanceof Settlement.Complete) {
          answers.add(given.get(i));
        }
      }
      return given;
    }

    @Override
    public List<Held> renew(List<Renewal> batch) {
      time.advance(delay);
      return store.renew(batch);
    }

    @Override
    public int purge(int limit) {
      return store.purge(limit);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
