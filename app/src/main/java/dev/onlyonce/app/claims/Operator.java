package dev.onlyonce.app.claims;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Acts on records of a store in an operator's name.
 *
 * <p><b>Guarantee.</b> A record is changed only if it is still the one that was looked at. It is
 * claimed by its token with a larger one, so that whoever held it is fenced, and settled at once;
 * both versions show the store's owner, who is the operator. If the program ends in between, the
 * key that was to be opened is the operator's until the lease is over, and then its next copy runs.
 */
public final class Operator {

  /** What the owner of a record begins with that an operator has written. */
  public static final String PREFIX = "operator:";

  private final ClaimStore store;
  private final Retention retention;

  /**
   * @param store opened with the operator for its owner
   * @param retention how long the settled records are kept
   */
  public Operator(ClaimStore store, Retention retention) {
    this.store = store;
    this.retention = retention;
  }

  /**
   * Acts on records.
   *
   * @param result what completed keys keep for their duplicates
   * @return the new tokens, in the order of the records; 0 for one that has changed meanwhile
   */
  public List<Long> act(Action action, List<ClaimRecord> records, Result result) {
    List<ClaimRequest> requests =
        records.stream().map(record -> request(action, record, result)).toList();
    List<Settlement> settlements = new ArrayList<>();
    List<Long> tokens = new ArrayList<>();
    List<Answer> answers = store.claim(requests);
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) instanceof Answer.Claimed claimed) {
        tokens.add(claimed.claim().token());
        if (action != Action.COMPLETE) {
          settlements.add(release(action, claimed.claim(), retention.of(records.get(i))));
        }
      } else {
        tokens.add(0L);
      }
    }
    if (!settlements.isEmpty()) {
      store.settle(settlements);
    }
    return tokens;
  }

  private ClaimRequest request(Action action, ClaimRecord record, Result result) {
    Key key = Objects.requireNonNull(record.key(), "it was found by its key");
    long requestId = ThreadLocalRandom.current().nextLong();
    ClaimRequest opening =
        ClaimRequest.of(record.scope(), key, requestId, Limits.LEASE, Lapse.TAKE)
            .expecting(record.token());
    return action == Action.COMPLETE ? opening.settlingNow(result, retention.of(record)) : opening;
  }

  private static Settlement release(Action action, Claim claim, Duration retention) {
    // The operator's own claim is no attempt.
    Attempts attempts = action == Action.RELEASE ? Attempts.REFUND : Attempts.RESET;
    return new Settlement.Release(claim, Duration.ZERO, attempts, retention);
  }
}
