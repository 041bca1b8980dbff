package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.store.redis.internal.Places.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at records. */
final class FindVerb extends Verb<RecordId, Optional<ClaimRecord>> {

  FindVerb(Shop shop) {
    super(shop, Script.FIND, false);
  }

  @Override
  Place placeOf(RecordId item) {
    return shop.places().of(item.scope(), item.key());
  }

  @Override
  void add(Part<RecordId> part, RecordId item) {
    // The field is all.
  }

  @Override
  void begin(List<byte[]> arguments, Part<RecordId> part) {
    arguments.add(shop.buckets());
  }

  @Override
  List<Optional<ClaimRecord>> read(Part<RecordId> part, Call call) {
    long now = Math.floorDiv((Long) call.list().get(0), 1_000L);
    List<?> records = (List<?>) call.list().get(1);
    List<Optional<ClaimRecord>> found = new ArrayList<>(records.size());
    for (int i = 0; i < records.size(); i++) {
      RecordId id = part.items.get(i);
      found.add(Optional.ofNullable((byte[]) records.get(i)).flatMap(it -> read(it, id, now)));
    }
    return found;
  }

  private static Optional<ClaimRecord> read(byte[] found, RecordId id, long now) {
    if (found.length == CompactEntries.SIZE) {
      return Optional.ofNullable(CompactEntries.read(found, id.scope(), id.key(), now));
    }
    return Optional.of(PackedReader.read(found, id.scope(), id.key()))
        .filter(it -> !it.isExpired(now));
  }
}
