package dev.onlyonce.testkit.sim;

import dev.onlyonce.Key;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store, at the moment that a request arrives there, and checks each answer against those
 * before: tokens grow, done is final, a settlement counts only for the last holder.
 */
final class Ledger {

  private static final class Grant {
    final long token;
    final long requestId;
    @Nullable Class<? extends Settlement> settled;

    Grant(long token, long requestId) {
      this.token = token;
      this.requestId = requestId;
    }
  }

  private final World world;
  private final ClaimStore store;
  private final Map<Key, List<Grant>> grants = new HashMap<>();

  Ledger(World world, ClaimStore store) {
    this.world = world;
    this.store = store;
  }

  private List<Grant> of(Key key) {
    return grants.computeIfAbsent(key, absent -> new ArrayList<>());
  }

  private static @Nullable Grant last(List<Grant> grants) {
    return grants.isEmpty() ? null : grants.get(grants.size() - 1);
  }

  Answer claim(ClaimRequest request) {
    Answer answer = store.claim(List.of(request)).get(0);
    List<Grant> before = of(request.key());
    Grant last = last(before);
    boolean done = last != null && last.settled == Settlement.Complete.class;
    if (last != null && isRepeated(last, request)) {
      boolean isTheSame =
          answer instanceof Answer.Claimed claimed && claimed.claim().token() == last.token;
      world.require(isTheSame, "a request is known again", request, answer);
    } else if (answer instanceof Answer.Claimed claimed) {
      long token = claimed.claim().token();
      world.require(last == null || token > last.token, "tokens grow", request, answer);
      world.require(!done, "done is final", request, answer);
      Grant grant = new Grant(token, request.requestId());
      grant.settled = request.settleNow() == null ? null : Settlement.Complete.class;
      before.add(grant);
    } else if (answer instanceof Answer.Done) {
      world.require(done, "done means that somebody completed it", request, answer);
    }
    return answer;
  }

  private static boolean isRepeated(Grant last, ClaimRequest request) {
    return last.requestId == request.requestId()
        && last.settled == (request.settleNow() == null ? null : Settlement.Complete.class);
  }

  Held settle(Settlement settlement) {
    Held held = store.settle(List.of(settlement)).get(0);
    Grant last = last(of(settlement.claim().key()));
    if (last == null || last.token != settlement.claim().token()) {
      world.require(held == Held.LOST, "only the last holder settles", settlement, held);
      return held;
    }
    if (held == Held.LOST) {
      boolean isSettledOtherwise = last.settled != null && last.settled != settlement.getClass();
      world.require(isSettledOtherwise, "the last holder settles", settlement, held);
    } else {
      boolean wasSettled = last.settled == settlement.getClass();
      boolean isSettledOnce = wasSettled ? held == Held.ALREADY : last.settled == null;
      world.require(isSettledOnce, "a claim is settled once", settlement, held);
      last.settled = settlement.getClass();
    }
    return held;
  }

  Held renew(Renewal renewal) {
    Held held = store.renew(List.of(renewal)).get(0);
    Grant last = last(of(renewal.claim().key()));
    boolean isHeld = last != null && last.token == renewal.claim().token() && last.settled == null;
    world.require(isHeld == (held == Held.HELD), "only a holder renews", renewal, held);
    return held;
  }

  /** Tells whether the claim with this token came to an end of which nobody knows. */
  boolean isInDoubt(Key key, long token) {
    return of(key).stream().anyMatch(grant -> grant.token == token && grant.settled == null);
  }

  /** Tells whether anybody came after the claim with this token, or it was settled by itself. */
  boolean isOver(Key key, long token) {
    Grant last = last(of(key));
    return last != null && (last.token > token || last.settled != null);
  }

  boolean isOpen(Key key) {
    Grant last = last(of(key));
    return last == null || last.settled == null || last.settled == Settlement.Release.class;
  }
}
