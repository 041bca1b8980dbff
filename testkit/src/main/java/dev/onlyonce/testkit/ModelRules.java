package dev.onlyonce.testkit;

import org.junit.jupiter.api.Test;

/** The store beside the claim machine itself. */
@SuppressWarnings("MemberName") // The names of tests are sentences.
interface ModelRules extends StoreFixture {

  @Test
  @Semantics({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 20, 23, 24, 82, 97, 98})
  default void random_calls_are_answered_as_the_claim_machine_answers_them(Lab lab) {
    for (int seed = 1; seed <= 10; seed++) {
      new ModelComparison(lab, seed).run(300);
    }
  }
}
