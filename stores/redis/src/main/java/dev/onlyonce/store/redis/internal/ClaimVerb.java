package dev.onlyonce.store.redis.internal;

import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimMachine.Decision;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.Settlement.Attempts;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.internal.Places.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims. The script decides whether a key is granted and writes the record; what the caller is
 * told follows from the record that was found, by the same {@link ClaimMachine} as in every store,
 * which must come to the same decision.
 */
final class ClaimVerb extends Verb<ClaimRequest, Answer> {

  private static final byte[] ANY = {};

  private final ClaimMachine machine;
  private final SettleVerb settlements;
  private final byte[] tolerance;
  private final byte[] owner;

  ClaimVerb(Shop shop, Duration tolerance, String owner) {
    super(shop, Script.CLAIM, true);
    this.machine = new ClaimMachine(tolerance, owner);
    this.settlements = new SettleVerb(shop);
    this.tolerance = Shop.millis(tolerance);
    this.owner = Packed.owner(owner);
  }

  private record Beginning(int head, Duration until, long expected) {}

  @Override
  Place placeOf(ClaimRequest item) {
    return shop.places().of(item.scope(), item.key());
  }

  @Override
  void add(Part<ClaimRequest> part, ClaimRequest request) {
    ClaimRequest item = fitting(request);
    Duration until = item.settleNow() == null ? item.lease() : item.retention();
    part.addKind(new Beginning(Packed.head(item), until, item.expectToken()));
    part.addOwn(Packed.body(item, shop.scopes().numberOf(item.scope()), owner));
  }

  private ClaimRequest fitting(ClaimRequest request) {
    Result now = request.settleNow();
    Result kept = now == null ? null : shop.fitting(now);
    return kept == null || kept == now ? request : request.settlingNow(kept, request.retention());
  }

  @Override
  void begin(List<byte[]> arguments, Part<ClaimRequest> part) {
    arguments.add(shop.buckets());
    arguments.add(tolerance);
    arguments.add(shop.force());
    arguments.add(Part.ascii(part.runs().size()));
    for (Part.Run run : part.runs()) {
      Beginning kind = (Beginning) run.kind;
      arguments.add(new byte[] {(byte) kind.head});
      arguments.add(Shop.millis(kind.until));
      arguments.add(kind.expected == ClaimRequest.ANY ? ANY : Part.ascii(kind.expected));
      arguments.add(run.count());
    }
  }

  @Override
  List<Answer> read(Part<ClaimRequest> part, Call call) {
    List<?> reply = call.list();
    long nowMicros = (Long) reply.get(0);
    long floor = (Long) reply.get(1) - 1;
    List<?> numbers = (List<?>) reply.get(2);
    List<?> records = (List<?>) reply.get(3);
    List<Answer> answers = new ArrayList<>(part.items.size());
    int met = 0;
    for (int i = 0; i < part.items.size(); i++) {
      ClaimRequest request = part.items.get(i);
      long number = met < numbers.size() ? (Long) numbers.get(met) : 0;
      ClaimRecord found = null;
      boolean written = true;
      if (Math.abs(number) == i + 1) {
        found = PackedReader.read((byte[]) records.get(met++), request.scope(), request.key());
        written = number > 0;
      }
      answers.add(answer(found, request, nowMicros, floor, written));
    }
    return answers;
  }

  /**
   * Gives back what was granted before a node was found to be full or not to be the store's any
   * more: the caller learns of no claim, so nobody would settle it. What is in doubt is left alone:
   * its request may be repeated. So is what was completed at once, which cannot be taken back.
   */
  @Override
  void abandon(
      List<? extends ClaimRequest> batch, @Nullable Object[] answers, StoreException fault) {
    if (fault.kind() == Kind.UNAVAILABLE) {
      return;
    }
    List<Settlement> releases = new ArrayList<>();
    for (int i = 0; i < answers.length; i++) {
      ClaimRequest request = batch.get(i);
      if (answers[i] instanceof Answer.Claimed granted
          && request.settleNow() == null
          && request.expectToken() == ClaimRequest.ANY) {
        releases.add(
            new Settlement.Release(
                granted.claim(), Duration.ZERO, Attempts.REFUND, request.retention()));
      }
    }
    try {
      settlements.run(releases);
    } catch (StoreException e) {
      fault.addSuppressed(e);
    }
  }

  private Answer answer(
      @Nullable ClaimRecord found,
      ClaimRequest request,
      long nowMicros,
      long floor,
      boolean written) {
    Decision<Answer> decision = machine.claim(found, request, nowMicros, floor);
    if ((decision.write() != null) != written) {
      throw new StoreException(
          Kind.UNAVAILABLE,
          "the script and the client disagree about a claim in scope "
              + request.scope()
              + ", which is a bug: use one version of the library everywhere and report it");
    }
    return decision.answer();
  }
}
