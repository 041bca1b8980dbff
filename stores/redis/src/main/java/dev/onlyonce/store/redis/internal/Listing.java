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
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Goes through all records, a step at a time. Safe for use by several threads. */
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
   * @param cursor the server's, for a group of records
   * @param after the field after which the group goes on: it may have more than a page
   */
  private record Place(int shard, String cursor, String after) {
    private static final Place START = new Place(0, "0", "");

    static Place parse(String text, int shards) {
      String[] parts = text.split(":", -1);
      if (parts.length == 3 && parts[0].matches("\\d{1,4}") && parts[1].matches("\\d{1,20}")) {
        Place place = new Place(Integer.parseInt(parts[0]), parts[1], parts[2]);
        if (place.shard < shards) {
          return place;
        }
      }
      throw new StoreException(
          Kind.REJECTED, "the cursor '" + text + "' is not of this store: start a new listing");
    }

    @Override
    public String toString() {
      return shard + ":" + cursor + ":" + after;
    }
  }

  Page list(Query query, @Nullable String cursor) {
    Place place = cursor == null ? Place.START : Place.parse(cursor, shop.shards());
    Call call =
        shop.call(
            Script.LIST,
            place.shard,
            false,
            List.of(shop.id(), place.cursor.getBytes(US_ASCII), Part.ascii(STEP)));
    shop.dispatcher().run(List.of(call));
    long now = Math.floorDiv((Long) call.list().get(0), 1_000L);
    List<ClaimRecord> page = new ArrayList<>();
    List<?> groups = (List<?>) call.list().get(2);
    for (int i = 0; i < groups.size(); i += 2) {
      String group = new String((byte[]) groups.get(i), US_ASCII);
      place = place.cursor.equals(group) ? place : new Place(place.shard, group, "");
      List<Entry> matching = matching(query, now, place.after, (List<?>) groups.get(i + 1));
      int free = query.limit() - page.size();
      if (matching.size() > free && !page.isEmpty()) {
        return new Page(page, place.toString());
      }
      for (Entry each : matching) {
        if (page.size() == query.limit()) {
          return new Page(page, place.toString());
        }
        page.add(each.record);
        place = new Place(place.shard, group, each.field);
      }
    }
    String next = new String((byte[]) call.list().get(1), US_ASCII);
    return new Page(page, behind(place, next));
  }

  private @Nullable String behind(Place place, String next) {
    if (!next.equals("0")) {
      return new Place(place.shard, next, "").toString();
    }
    int shard = place.shard + 1;
    return shard == shop.shards() ? null : new Place(shard, "0", "").toString();
  }

  private record Entry(String field, ClaimRecord record) {}

  /** Returns what is asked for of a group, from a field on, in an order that does not change. */
  private List<Entry> matching(Query query, long now, String after, List<?> group) {
    TreeMap<String, byte[]> sorted = new TreeMap<>();
    for (int i = 0; i < group.size(); i += 2) {
      byte[] field = (byte[]) group.get(i);
      if (field.length == Places.FIELD_BYTES) {
        sorted.put(HexFormat.of().formatHex(field), (byte[]) group.get(i + 1));
      }
    }
    List<Entry> matching = new ArrayList<>();
    for (Map.Entry<String, byte[]> each : sorted.tailMap(after, false).entrySet()) {
      ClaimRecord record = PackedReader.read(each.getValue(), shop.scopes()::ofNumber);
      if (machine.matches(query, record, now)) {
        matching.add(new Entry(each.getKey(), record));
      }
    }
    return matching;
  }

  /** Returns the time of a server, milliseconds since the epoch. */
  long millis() {
    Call call = shop.call(Script.FIND, 0, false, List.of(shop.id(), Part.ascii(0), Part.ascii(0)));
    shop.dispatcher().run(List.of(call));
    return Math.floorDiv((Long) call.list().get(0), 1_000L);
  }

  Map<ClaimState, Long> totals() {
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
                List.of(shop.id(), cursor.getBytes(US_ASCII), Part.ascii(STEP)));
        shop.dispatcher().run(List.of(call));
        cursor = new String((byte[]) call.list().get(0), US_ASCII);
        List<?> counts = (List<?>) call.list().get(1);
        for (int code = 0; code < counts.size(); code++) {
          totals.merge(ClaimState.ofCode(code), (Long) counts.get(code), Long::sum);
        }
      } while (!cursor.equals("0"));
    }
    return totals;
  }
}
