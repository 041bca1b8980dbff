package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.store.redis.internal.Places.Place;
import java.util.List;

/** Renews leases. */
final class RenewVerb extends Verb<Renewal, Held> {

  private static final byte[] AS_IT_IS = {};

  RenewVerb(Shop shop) {
    super(shop, Script.RENEW, true);
  }

  @Override
  Place placeOf(Renewal item) {
    return shop.places().of(item.claim().scope(), item.claim().key());
  }

  @Override
  void add(Part<Renewal> part, Renewal item) {
    part.addOwn(Packed.token(item.claim().token()));
    part.addOwn(Shop.millis(item.lease()));
    byte[] checkpoint = item.checkpoint();
    if (checkpoint == null) {
      part.addOwn(AS_IT_IS);
    } else {
      byte[] marked = new byte[checkpoint.length + 1];
      marked[0] = 'c';
      System.arraycopy(checkpoint, 0, marked, 1, checkpoint.length);
      part.addOwn(marked);
    }
  }

  @Override
  void begin(List<byte[]> arguments, Part<Renewal> part) {
    arguments.add(shop.force());
  }

  /** The claims of a server that does not answer must not cost those of others their lease. */
  @Override
  void dispatch(List<Call> calls) {
    shop.dispatcher().runSome(calls);
  }

  @Override
  Held unknown() {
    return Held.UNKNOWN;
  }

  @Override
  List<Held> read(Part<Renewal> part, Call call) {
    return Digits.held(call);
  }
}
