package dev.onlyonce.store.redis.internal;

import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimMachine.Decision;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.internal.Places.Place;
import java.nio.charset.StandardCharsets;
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
  private final byte[] tolerance;
  private final byte[] owner;

  ClaimVerb(Shop shop, Duration tolerance, String owner) {
    super(shop, Script.CLAIM, true);
    this.machine = new ClaimMachine(tolerance, owner);
    this.tolerance = Shop.millis(tolerance);
    this.owner = Packed.owner(owner);
  }

  private record Beginning(int head, Duration until) {}

  @Override
  Place placeOf(ClaimRequest item) {
    return shop.places().of(item.scope(), item.key());
  }

  @Override
  void add(Part<ClaimRequest> part, ClaimRequest request, byte[] field) {
    ClaimRequest item = fitting(request);
    part.add(field);
    Duration until = item.settleNow() == null ? item.lease() : item.retention();
    long expected = item.expectToken();
    part.addKind(
        new Beginning(Packed.head(item), until),
        expected == ClaimRequest.ANY ? ANY : Part.ascii(expected));
    part.add(Packed.body(item, shop.scopes().numberOf(item.scope()), owner));
  }

  private ClaimRequest fitting(ClaimRequest request) {
    Result now = request.settleNow();
    Result kept = now == null ? null : shop.fitting(now);
    return kept == null || kept == now ? request : request.settlingNow(kept, request.retention());
  }

  @Override
  void begin(List<byte[]> arguments, Part<ClaimRequest> part) {
    arguments.add(tolerance);
    arguments.add(shop.force());
    arguments.add(Part.ascii(part.kindCount()));
    for (Object each : part.kinds()) {
      Beginning kind = (Beginning) each;
      arguments.add(new byte[] {(byte) kind.head});
      arguments.add(Shop.millis(kind.until));
    }
  }

  @Override
  List<Answer> read(Part<ClaimRequest> part, Call call) {
    List<?> reply = call.list();
    long nowMicros = (Long) reply.get(0);
    long floor = (Long) reply.get(1) - 1;
    String letters = new String((byte[]) reply.get(2), StandardCharsets.US_ASCII);
    List<?> records = (List<?>) reply.get(3);
    List<Answer> answers = new ArrayList<>(letters.length());
    int record = 0;
    for (int i = 0; i < letters.length(); i++) {
      ClaimRequest request = part.items.get(i);
      boolean created = letters.charAt(i) == 'C';
      ClaimRecord found =
          created
              ? null
              : PackedReader.read((byte[]) records.get(record++), request.scope(), request.key());
      answers.add(answer(found, request, nowMicros, floor, letters.charAt(i) != 'K'));
    }
    return answers;
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
