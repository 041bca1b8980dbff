package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * The contract of a store that several processes have open at once. A second handle stands for
 * another process: it shares with the first nothing but the data.
 */
@SuppressWarnings("MemberName") // The names of tests are sentences.
public interface SharedStoreContract extends StoreFixture {

  /**
   * Opens one more handle on the data of the store that {@link #open} opened last. The contract
   * closes it after the test.
   */
  ClaimStore openBeside(StoreSettings settings);

  private ClaimStore beside(Lab lab) {
    ClaimStore first = lab.store();
    ClaimStore second = lab.use(openBeside(StoreSettings.defaults().withOwner("another process")));
    lab.use(first);
    return second;
  }

  /** A key that one process holds, another is refused. */
  @Test
  @Semantics({1, 2, 3})
  default void what_one_process_claims_another_sees(Lab lab) {
    ClaimStore first = lab.store();
    ClaimStore second = beside(lab);
    Claim claim = lab.claim(lab.key());
    lab.use(second);
    lab.assertInProgress(claim.key());
    lab.use(first);
    lab.complete(claim, Lab.text("by the first"));
    lab.use(second);
    lab.assertDone(claim.key(), Lab.text("by the first"));
  }

  /** A process that was stopped for longer than its lease changes nothing any more. */
  @Test
  @Semantics({8, 10, 11, 12, 35})
  @Case({13, 27})
  default void a_process_that_was_overtaken_by_another_is_fenced(Lab lab) {
    ClaimStore first = lab.store();
    ClaimStore second = beside(lab);
    Claim zombie = lab.claim(lab.request(lab.key(), lab.units(0.2)));
    lab.pass(0.3);
    lab.use(second);
    Claim successor = lab.claimAfter(zombie);
    lab.use(first);
    lab.assertLost(lab.release(zombie));
    lab.assertLost(lab.fail(zombie));
    lab.assertLost(lab.renew(zombie, Duration.ZERO));
    lab.assertLost(lab.complete(zombie));
    lab.use(second);
    lab.assertUnharmed(successor);
  }

  /** The claim belongs to whoever has it, not to the handle that it came through. */
  @Test
  @Semantics({13, 98})
  default void a_claim_and_a_request_are_good_in_every_process(Lab lab) {
    ClaimRequest request = lab.request(lab.key());
    ClaimStore second = beside(lab);
    Claim claim = lab.claim(request);
    lab.use(second);
    assertThat(lab.claim(request)).isEqualTo(claim);
    lab.assertUnharmed(claim);
  }

  /** Closing one handle leaves the others open. */
  @Test
  @Semantics(13)
  default void a_process_that_leaves_does_no_harm_to_the_others(Lab lab) {
    ClaimStore first = lab.store();
    ClaimStore second = beside(lab);
    Claim claim = lab.claim(lab.key());
    first.close();
    lab.use(second);
    lab.assertUnharmed(claim);
  }

  /** Two processes with several threads each; every key is handled once. */
  @Test
  @Semantics({1, 2, 3})
  @Case(23)
  default void a_thousand_keys_given_to_two_processes_are_handled_a_thousand_times(Lab lab) {
    List<ClaimStore> processes = List.of(lab.store(), beside(lab));
    List<Key> keys = lab.keys(1_000);
    AtomicInteger handled = new AtomicInteger();
    Race.run(
        lab.fixture().threads(),
        thread -> {
          ClaimStore store = processes.get(thread % 2);
          for (int from = 0; from < keys.size(); from += 10) {
            List<ClaimRequest> batch =
                keys.subList(from, from + 10).stream()
                    .map(it -> lab.settlingNow(it, Result.NONE))
                    .toList();
            for (Answer answer : store.claim(batch)) {
              if (answer instanceof Answer.Claimed) {
                handled.incrementAndGet();
              } else {
                assertThat(answer).isInstanceOfAny(Answer.Done.class, Answer.InProgress.class);
              }
            }
          }
          return thread;
        });
    assertThat(handled).hasValue(keys.size());
  }

  /** The token does not depend on which process asks. */
  @Test
  @Semantics(96)
  default void tokens_grow_from_process_to_process(Lab lab) {
    List<ClaimStore> processes = List.of(lab.store(), beside(lab));
    Claim claim = lab.claim(lab.key());
    for (int i = 0; i < 20; i++) {
      lab.release(claim);
      lab.use(processes.get(i % 2));
      claim = lab.claimAfter(claim);
    }
  }
}
