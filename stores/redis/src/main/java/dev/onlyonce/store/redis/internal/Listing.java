package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Goes through all records, a step at a time. Safe for use by several threads.
 *
 * <p>A listing goes through the records of all shards first and through the buckets of all of them
 * afterwards: so one that moves from the former to the latter meanwhile is not missed.
 */
final class Listing {

  /** How many records a step looks at, about. */
  private static final int STEP = 1_000;

  private final Shop shop;
  private final ClaimMachine machine;

  Listing(Shop shop, ClaimMachine machine) {
    this.shop = shop;
    this.machine = machine;
  }

  /**
   * Where a listing goes on.
   *
   * @param part the shard; or, in its second half, the number of shards and the shard
   * @param cursor the server's, for a group of records
   * @param after the field after which the group goes on: it may have more than a page
   */
  private record Place(int part, String cursor, String after) {
    private static final Place START = new Place(0, "0", "");

    static Place parse(String text, int parts) {
      String[] words = text.split(":", -1);
      if (words.length == 3 && words[0].matches("\\d{1,4}") && words[1].matches("\\d{1,20}")) {
        Place place = new Place(Integer.parseInt(words[0]), words[1], words[2]);
        if (place.part < parts) {
          return place;
        }
      }
      throw new StoreException(
          Kind.REJECTED, "the cursor '" + text + "' is not of this store: start a new listing");
    }

    @Override
    public String toString() {
      return part + ":" + cursor + ":" + after;
    }
  }

  Page list(Query query, @Nullable String cursor) {
    int parts = isOfEntries(query) ? 2 * shop.shards() : shop.shards();
    Place place = cursor == null ? Place.START : Place.parse(cursor, parts);
    boolean ofBuckets = place.part >= shop.shards();
    Call call =
        shop.call(
            Script.LIST,
            place.part % shop.shards(),
            false,
            List.of(
                shop.id(),
                place.cursor.getBytes(US_ASCII),
                shop.step(STEP),
                Part.ascii(ofBuckets ? CompactTier.BUCKET_FIELD_BYTES : Places.FIELD_BYTES)));
    shop.dispatcher().run(List.of(call));
    long now = Math.floorDiv((Long) call.list().get(0), 1_000L);
    List<ClaimRecord> page = new ArrayList<>();
    List<?> groups = (List<?>) call.list().get(2);
    for (int i = 0; i < groups.size(); i += 2) {
      String group = new String((byte[]) groups.get(i), US_ASCII);
      place = place.cursor.equals(group) ? place : new Place(place.part, group, "");
      List<?> found = (List<?>) groups.get(i + 1);
      NavigableMap<String, ClaimRecord> all = ofBuckets ? entries(found, now) : records(found);
      List<Entry> matching = matching(query, now, place.after, all);
      int free = query.limit() - page.size();
      if (matching.size() > free && !page.isEmpty()) {
        return new Page(page, place.toString());
      }
      for (Entry each : matching) {
        if (page.size() == query.limit()) {
          return new Page(page, place.toString());
        }
        page.add(each.record);
        place = new Place(place.part, group, each.field);
      }
    }
    String next = new String((byte[]) call.list().get(1), US_ASCII);
    return new Page(page, behind(place, next, parts));
  }

  /** Tells whether a listing shows the entries of the compact tier, whose scope is not known. */
  private boolean isOfEntries(Query query) {
    boolean anyScope = query.scope() == null || ScopeNames.UNNUMBERED.equals(query.scope());
    return shop.tier() != null
        && anyScope
        && query.states().contains(ClaimState.DONE)
        && !query.onlyInDoubt();
  }

  private @Nullable String behind(Place place, String next, int parts) {
    if (!next.equals("0")) {
      return new Place(place.part, next, "").toString();
    }
    int part = place.part + 1;
    return part == parts ? null : new Place(part, "0", "").toString();
  }

  private record Entry(String field, ClaimRecord record) {}

  /** Returns what is asked for of a group, from a field on, in an order that does not change. */
  private List<Entry> matching(
      Query query, long now, String after, NavigableMap<String, ClaimRecord> group) {
    List<Entry> matching = new ArrayList<>();
    for (Map.Entry<String, ClaimRecord> each : group.tailMap(after, false).entrySet()) {
      if (machine.matches(query, each.getValue(), now)) {
        matching.add(new Entry(each.getKey(), each.getValue()));
      }
    }
    return matching;
  }

  private NavigableMap<String, ClaimRecord> records(List<?> group) {
    NavigableMap<String, ClaimRecord> sorted = new TreeMap<>();
    for (int i = 0; i < group.size(); i += 2) {
      ClaimRecord record = PackedReader.read((byte[]) group.get(i + 1), shop.scopes()::ofNumber);
      sorted.put(HexFormat.of().formatHex((byte[]) group.get(i)), record);
    }
    return sorted;
  }

  private static NavigableMap<String, ClaimRecord> entries(List<?> group, long now) {
    NavigableMap<String, ClaimRecord> sorted = new TreeMap<>();
    for (int i = 0; i < group.size(); i += 2) {
      String bucket = HexFormat.of().formatHex((byte[]) group.get(i));
      for (CompactEntries.Entry each : CompactEntries.read((byte[]) group.get(i + 1), now)) {
        sorted.put(bucket + HexFormat.of().formatHex(each.tail()), each.record());
      }
    }
    return sorted;
  }

  /** Returns the time of a server, milliseconds since the epoch. */
  long millis() {
    byte[] zero = Part.ascii(0);
    List<byte[]> arguments = List.of(shop.id(), zero, shop.buckets(), new byte[Places.FIELD_BYTES]);
    Call call = shop.call(Script.FIND, 0, false, arguments);
    shop.dispatcher().run(List.of(call));
    return Math.floorDiv((Long) call.list().get(0), 1_000L);
  }

  /**
   * How many records there are.
   *
   * @param compact how many of them are in the compact tier
   */
  record Totals(Map<ClaimState, Long> states, long compact) {}

  Totals totals() {
    long compact = 0;
    Map<ClaimState, Long> totals = new EnumMap<>(ClaimState.class);
    Arrays.stream(ClaimState.values()).forEach(it -> totals.put(it, 0L));
    for (int shard = 0; shard < shop.shards(); shard++) {
      String cursor = "0";
      do {
        Call call =
            shop.call(
                Script.COUNT,
                shard,
                false,
                List.of(shop.id(), cursor.getBytes(US_ASCII), shop.step(STEP)));
        shop.dispatcher().run(List.of(call));
        cursor = new String((byte[]) call.list().get(0), US_ASCII);
        List<?> counts = (List<?>) call.list().get(1);
        for (int code = 0; code < counts.size(); code++) {
          totals.merge(ClaimState.ofCode(code), (Long) counts.get(code), Long::sum);
        }
        compact += (Long) call.list().get(2);
      } while (!cursor.equals("0"));
    }
    return new Totals(totals, compact);
  }
}
