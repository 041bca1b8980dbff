package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Result;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.store.redis.internal.Places.Place;
import java.time.Duration;
import java.util.List;

/** Settles claims. */
final class SettleVerb extends Verb<Settlement, Held> {

  private static final String REASON = "text/plain";

  SettleVerb(Shop shop) {
    super(shop, Script.SETTLE, true);
  }

  private record Ending(int head, Duration kept, Duration after, byte attempts, long token) {}

  @Override
  Place placeOf(Settlement item) {
    return shop.places().of(item.claim().scope(), item.claim().key());
  }

  @Override
  void add(Part<Settlement> part, Settlement item) {
    Result result = resultOf(item);
    part.addKind(endingOf(item, result));
    if (result instanceof Result.Value) {
      part.addOwn(Packed.value(result));
    }
  }

  private Result resultOf(Settlement item) {
    if (item instanceof Settlement.Complete complete) {
      return shop.fitting(complete.result());
    }
    return item instanceof Settlement.Fail fail
        ? new Result.Value(REASON, fail.reason().getBytes(UTF_8))
        : Result.NONE;
  }

  private static Ending endingOf(Settlement item, Result result) {
    long token = item.claim().token();
    if (item instanceof Settlement.Release release) {
      byte attempts =
          switch (release.attempts()) {
            case KEEP -> 'K';
            case REFUND -> 'F';
            case RESET -> 'R';
          };
      int head = Packed.head(ClaimState.RELEASED, Result.NONE);
      return new Ending(head, release.retention(), release.after(), attempts, token);
    }
    ClaimState state = item instanceof Settlement.Complete ? ClaimState.DONE : ClaimState.FAILED;
    return new Ending(
        Packed.head(state, result), item.retention(), Duration.ZERO, (byte) 'K', token);
  }

  @Override
  void begin(List<byte[]> arguments, Part<Settlement> part) {
    arguments.add(shop.buckets());
    arguments.add(shop.force());
    arguments.add(Part.ascii(part.items.size()));
    arguments.add(Part.ascii(part.runs().size()));
    for (Part.Run run : part.runs()) {
      Ending ending = (Ending) run.kind;
      arguments.add(new byte[] {(byte) ending.head});
      arguments.add(Shop.millis(ending.kept));
      arguments.add(Shop.millis(ending.after));
      arguments.add(new byte[] {ending.attempts});
      arguments.add(Packed.token(ending.token));
      arguments.add(run.count());
    }
  }

  @Override
  List<Held> read(Part<Settlement> part, Call call) {
    return Digits.held(call);
  }
}
