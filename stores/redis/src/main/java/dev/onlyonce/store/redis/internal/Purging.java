package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;

/**
 * Forgets what has expired and moves what is done, a step at a time; each call goes on where the
 * one before it has stopped. Safe for use by several threads, which wait for each other.
 */
final class Purging {

  /** How many records one call of a script looks at, about; of buckets, fewer. */
  private static final int STEP = 500;

  /** How many records are looked at before a call comes back with nothing. */
  private static final long MOST = 20_000;

  private static final byte[] NEVER = {};

  private final Shop shop;
  private final byte[] after;
  private int shard;
  private byte[] cursor = start();

  Purging(Shop shop) {
    this.shop = shop;
    CompactTier tier = shop.tier();
    this.after = tier == null ? NEVER : Shop.millis(tier.after());
  }

  private static byte[] start() {
    return new byte[] {'0'};
  }

  synchronized int purge(int limit) {
    int forgotten = 0;
    long seen = 0;
    // One more than there are shards, for the part of the first one that lies before the start.
    for (int visited = 0; visited <= shop.shards() && forgotten < limit && seen < MOST; ) {
      Call call =
          shop.call(
              Script.PURGE,
              shard,
              false,
              List.of(
                  shop.id(),
                  Shop.millis(shop.settings().purgeGrace),
                  cursor,
                  shop.step(STEP),
                  Part.ascii(limit - forgotten),
                  shop.buckets(),
                  after));
      shop.dispatcher().run(List.of(call));
      List<?> reply = call.list();
      cursor = (byte[]) reply.get(0);
      seen += (Long) reply.get(1);
      forgotten += Math.toIntExact((Long) reply.get(2));
      if (new String(cursor, US_ASCII).equals("0") && forgotten < limit) {
        shard = (shard + 1) % shop.shards();
        visited++;
      }
    }
    return forgotten;
  }
}
