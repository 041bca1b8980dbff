package dev.onlyonce.store.redis.internal;

import dev.onlyonce.Key;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.internal.Places.Place;
import java.util.List;

/** Writes records as they are, over none or those with a smaller token. */
final class PutVerb extends Verb<ClaimRecord, Boolean> {

  PutVerb(Shop shop) {
    super(shop, Script.PUT, true);
  }

  /**
   * Returns the key of a record that can be put.
   *
   * @throws StoreException if it cannot
   */
  static Key keyOf(ClaimRecord record) {
    Key key = record.key();
    if (key == null) {
      throw new StoreException(
          Kind.REJECTED,
          "a record must have its key to be put, one of " + record.scope() + " has none");
    }
    if (record.state() == ClaimState.UNKNOWN) {
      throw new StoreException(
          Kind.REJECTED, "a record of an unknown state cannot be put: update this library first");
    }
    if (record.token() < 1 || record.token() > Packed.MAX_PUT_TOKEN) {
      throw new StoreException(
          Kind.REJECTED,
          "a token must be 1 to 4,503,599,627,370,495 so that larger ones are exact in Redis, was "
              + record.token());
    }
    return key;
  }

  @Override
  Place placeOf(ClaimRecord item) {
    return shop.places().of(item.scope(), keyOf(item));
  }

  @Override
  void add(Part<ClaimRecord> part, ClaimRecord item) {
    part.addOwn(Packed.of(item, keyOf(item), shop.scopes().numberOf(item.scope())));
  }

  @Override
  void begin(List<byte[]> arguments, Part<ClaimRecord> part) {
    arguments.add(shop.buckets());
    arguments.add(shop.force());
  }

  @Override
  List<Boolean> read(Part<ClaimRecord> part, Call call) {
    return Digits.done(call);
  }
}
