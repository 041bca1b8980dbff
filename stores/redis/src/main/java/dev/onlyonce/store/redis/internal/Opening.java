package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.spi.KeyHash;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.TierMark;
import dev.onlyonce.store.redis.RedisCompactTier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds a store in Redis, or makes it. */
final class Opening {

  private static final String FORMAT = "1";

  /**
   * The format of a store with a compact tier, which a library that knows only the other refuses.
   */
  private static final String COMPACT_FORMAT = "2";

  private final RedisSettings settings;
  private final Dispatcher dispatcher;
  private final int newShards;

  /**
   * @param newShards of a store that is made, unless the settings say it
   */
  Opening(RedisSettings settings, int newShards, Dispatcher dispatcher) {
    this.settings = settings;
    this.newShards = newShards;
    this.dispatcher = dispatcher;
  }

  /**
   * Opens the store, or makes it.
   *
   * @throws StoreException if there is a store that is not to be opened like this
   */
  Shop open() {
    return open(meta(fresh()), true);
  }

  /**
   * Opens the store if there is one, and writes nothing but shards that are to be made anew.
   *
   * @throws StoreException if there is a store that is not to be opened like this
   */
  Optional<Shop> openIfThere() {
    Map<String, String> meta = meta(List.of());
    return meta.isEmpty() ? Optional.empty() : Optional.of(open(meta, settings.remakesLostShards));
  }

  private Shop open(Map<String, String> meta, boolean makes) {
    String format = meta.getOrDefault("format", "none");
    if (!format.equals(FORMAT) && !format.equals(COMPACT_FORMAT)) {
      throw rejected("has format " + format + ", and this library knows 1 and 2: use a newer one");
    }
    int shards = Integer.parseInt(value(meta, "shards"));
    if (settings.shards != 0 && settings.shards != shards) {
      throw rejected(
          "has "
              + shards
              + " shards, and "
              + settings.shards
              + " were asked for: the number is fixed when a store is made;"
              + " leave it out, or begin a new store under another prefix");
    }
    CompactTier tier = format.equals(COMPACT_FORMAT) ? tier(meta) : null;
    requireTier(tier, shards);
    if (tier != null) {
      requireShorterRepeats(tier);
    }
    byte[] secret = HexFormat.of().parseHex(value(meta, "secret"));
    KeyHash hash = new KeyHash(number(secret, 0), number(secret, 8));
    Names names = Names.of(settings.prefix, shards);
    Shop shop =
        new Shop(
            settings,
            dispatcher,
            names,
            value(meta, "id").getBytes(US_ASCII),
            new Places(hash, shards),
            new ScopeNames(names.scopes(), dispatcher),
            tier);
    boolean isMade = meta.containsKey("made");
    if (makes) {
      new Shards(shop).makeAll(isMade);
    } else {
      new Shards(shop).requireAll(isMade);
    }
    if (!settings.isTier) {
      TierMark.requireAlone("the store in Redis", new FindVerb(shop)::run);
    }
    return shop;
  }

  private CompactTier tier(Map<String, String> meta) {
    Duration after = Duration.ofMillis(Long.parseLong(value(meta, "compactAfter")));
    return new CompactTier(Integer.parseInt(value(meta, "buckets")), after);
  }

  /** Refuses a store whose compact tier is another than was asked for. */
  private void requireTier(@Nullable CompactTier tier, int shards) {
    RedisCompactTier wanted = settings.compactTier;
    if (wanted == null || CompactTier.of(wanted, shards).equals(tier)) {
      return;
    }
    String is = "was made without a compact tier, and one was asked for";
    if (tier != null) {
      RedisCompactTier told = tier.told(shards);
      is =
          "has a compact tier after %s for up to %,d keys, and one after %s for %,d was asked for"
              .formatted(told.after(), told.keys(), wanted.after(), wanted.keys());
    }
    throw rejected(
        is
            + ": that is fixed when a store is made;"
            + " leave it out, or begin a new store under another prefix");
  }

  /** Refuses who would send a request again when its key has moved: it is taken for a duplicate. */
  private void requireShorterRepeats(CompactTier tier) {
    Duration repeats = settings.repeats();
    if (tier.after().compareTo(repeats) >= 0) {
      return;
    }
    Duration longest = tier.after().minus(settings.timeout).minus(settings.timeout);
    throw rejected(
        "moves keys to its compact tier after "
            + tier.after()
            + ", and requests are repeated for "
            + repeats
            + ", patience and two time-outs, so that one could be taken for a duplicate of itself:"
            + " open it with a patience of at most "
            + (longest.isNegative() ? Duration.ZERO : longest));
  }

  private static long number(byte[] bytes, int offset) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(offset);
  }

  private String value(Map<String, String> meta, String name) {
    String value = meta.get(name);
    if (value == null) {
      throw rejected("lacks its setting '" + name + "': it was damaged by somebody");
    }
    return value;
  }

  private StoreException rejected(String what) {
    return new StoreException(
        Kind.REJECTED, "the store under the Redis key " + Names.meta(settings.prefix) + " " + what);
  }

  /** Returns the settings of a store that is made. */
  private List<byte[]> fresh() {
    SecureRandom random = new SecureRandom();
    int shards = settings.shards == 0 ? newShards : settings.shards;
    RedisCompactTier wanted = settings.compactTier;
    List<String> fresh = new ArrayList<>();
    fresh.addAll(List.of("format", wanted == null ? FORMAT : COMPACT_FORMAT));
    fresh.addAll(List.of("shards", Integer.toString(shards)));
    fresh.addAll(List.of("secret", hex(random, 16)));
    fresh.addAll(List.of("id", hex(random, 8)));
    if (wanted != null) {
      CompactTier tier = CompactTier.of(wanted, shards);
      fresh.addAll(List.of("buckets", Integer.toString(tier.buckets())));
      fresh.addAll(List.of("compactAfter", Long.toString(Limits.millis(tier.after()))));
    }
    return fresh.stream().map(it -> it.getBytes(US_ASCII)).toList();
  }

  private Map<String, String> meta(List<byte[]> fresh) {
    Names.Name name = Names.meta(settings.prefix);
    Call call = new Call(Script.OPEN, name.key(), name.slot(), !fresh.isEmpty(), fresh);
    dispatcher.runPatiently(List.of(call));
    Map<String, String> meta = new HashMap<>();
    List<?> reply = call.list();
    for (int i = 0; i < reply.size(); i += 2) {
      meta.put(text(reply.get(i)), text(reply.get(i + 1)));
    }
    return meta;
  }

  private static String hex(SecureRandom random, int bytes) {
    byte[] fresh = new byte[bytes];
    random.nextBytes(fresh);
    return HexFormat.of().formatHex(fresh);
  }

  private static String text(Object reply) {
    return new String((byte[]) reply, US_ASCII);
  }
}
