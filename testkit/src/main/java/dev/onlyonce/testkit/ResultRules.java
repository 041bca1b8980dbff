package dev.onlyonce.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Claim;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Limits;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Results: each kind and every byte comes back to the duplicates as it was given. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface ResultRules extends StoreFixture {

  private static List<Result> results() {
    byte[] everyByte = new byte[256];
    for (int i = 0; i < 256; i++) {
      everyByte[i] = (byte) i;
    }
    return List.of(
        Result.NONE,
        Result.NOT_KEPT,
        new Result.Value("application/json", "{\"receipt\":\"漢字\"}".getBytes(UTF_8)),
        new Result.Value("text/plain", new byte[0]),
        new Result.Value("x", new byte[] {0}),
        new Result.Value("a/" + "b".repeat(125), everyByte));
  }

  @Test
  @Semantics({3, 78, 80})
  default void no_result_a_result_and_one_that_was_not_kept_are_three_things(Lab lab) {
    for (Result result : results()) {
      Claim claim = lab.claim(lab.key());
      lab.assertHeld(lab.complete(claim, result));
      lab.assertDone(claim.key(), result);
    }
  }

  @Test
  @Semantics({3, 78, 80})
  default void completing_in_the_same_step_keeps_every_kind_of_result(Lab lab) {
    for (Result result : results()) {
      Claim claim = lab.claim(lab.settlingNow(lab.key(), result));
      lab.assertDone(claim.key(), result);
    }
  }

  @Test
  @Semantics({78, 80})
  default void a_later_attempts_result_of_every_kind_is_kept(Lab lab) {
    for (Result result : results()) {
      Claim first = lab.claim(lab.key());
      lab.renew(first, lab.endless(), new byte[] {1});
      lab.release(first);
      Claim second = lab.claimAfter(first);
      lab.assertHeld(lab.complete(second, result));
      lab.assertDone(first.key(), result);
    }
  }

  @Test
  @Semantics({3, 78})
  default void a_result_of_the_largest_size_comes_back_whole(Lab lab) {
    byte[] largest = new byte[Limits.RESULT_BYTES];
    new Random(4711).nextBytes(largest);
    Result result = new Result.Value("application/octet-stream", largest);
    Claim claim = lab.claim(lab.key());
    lab.assertHeld(lab.complete(claim, result));
    lab.assertDone(claim.key(), result);
  }
}
