package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.redis.internal.Places.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done to the records of a batch: split by shard, one call for each, the answers
 * in the order of the batch. Safe for use by several threads.
 *
 * @param <Q> an item of a batch
 * @param <A> its answer
 */
abstract class Verb<Q, A> {

  /** How many items a call has at the most: a script holds up everybody else on its server. */
  static final int MOST_ITEMS = 500;

  /** How large a call becomes, unless one item is larger. */
  private static final long MOST_BYTES = 1 << 20;

  final Shop shop;
  private final Script script;
  private final boolean writes;

  Verb(Shop shop, Script script, boolean writes) {
    this.shop = shop;
    this.script = script;
    this.writes = writes;
  }

  abstract Place placeOf(Q item);

  /** Adds what the script is told of one item beside its field. */
  abstract void add(Part<Q> part, Q item);

  /** Adds what the script is told before its items. */
  abstract void begin(List<byte[]> arguments, Part<Q> part);

  /** Reads the answers of the items of a part, in their order. */
  abstract List<A> read(Part<Q> part, Call call);

  /**
   * Does something about what was done of a batch that fails as a whole.
   *
   * @param answers of the items, null where it is not known
   * @param fault what the caller is told
   */
  void abandon(List<? extends Q> batch, @Nullable Object[] answers, StoreException fault) {}

  /** Brings the calls of a round to their nodes. */
  void dispatch(List<Call> calls) {
    shop.dispatcher().run(calls);
  }

  /**
   * Returns what is said of an item that nobody knows of, beside others of its batch that are
   * known; null where the batch fails as a whole.
   */
  @Nullable A unknown() {
    return null;
  }

  final List<A> run(List<? extends Q> batch) {
    @Nullable Object[] answers = new Object[batch.size()];
    for (List<ShardPart<Q>> round : split(batch)) {
      List<Call> calls = round.stream().map(this::call).toList();
      try {
        dispatch(calls);
      } catch (StoreException e) {
        A unknown = unknown();
        if (unknown != null) {
          return known(round, calls, answers, unknown, e);
        }
        read(round, calls, answers);
        abandon(batch, answers, e);
        throw e;
      }
      read(round, calls, answers);
    }
    return answers(answers);
  }

  /** Answers what is known, if anything is. */
  private List<A> known(
      List<ShardPart<Q>> round,
      List<Call> calls,
      @Nullable Object[] answers,
      A unknown,
      StoreException fault) {
    read(round, calls, answers, Call::isSure);
    if (Arrays.stream(answers).allMatch(Objects::isNull)) {
      throw fault;
    }
    Arrays.setAll(answers, it -> answers[it] == null ? unknown : answers[it]);
    return answers(answers);
  }

  private void read(List<ShardPart<Q>> round, List<Call> calls, @Nullable Object[] answers) {
    read(round, calls, answers, Call::isAnswered);
  }

  private void read(
      List<ShardPart<Q>> round,
      List<Call> calls,
      @Nullable Object[] answers,
      Predicate<Call> isRead) {
    for (int i = 0; i < calls.size(); i++) {
      Part<Q> part = round.get(i).part;
      List<A> read = isRead.test(calls.get(i)) ? read(part, calls.get(i)) : List.of();
      for (int j = 0; j < read.size(); j++) {
        answers[part.indexes.get(j)] = read.get(j);
      }
    }
  }

  @SuppressWarnings("unchecked") // Nothing else was put in.
  private List<A> answers(@Nullable Object[] answers) {
    for (Object each : answers) {
      Objects.requireNonNull(each, "a script left an item out");
    }
    return (List<A>) Arrays.asList(answers);
  }

  private record ShardPart<Q>(int shard, Part<Q> part) {}

  /** Splits a batch by shard, and what is too much for one call into several. */
  private List<List<ShardPart<Q>>> split(List<? extends Q> batch) {
    List<List<Part<Q>>> byShard = new ArrayList<>();
    for (int shard = 0; shard < shop.shards(); shard++) {
      byShard.add(new ArrayList<>(1));
    }
    for (int i = 0; i < batch.size(); i++) {
      Q item = batch.get(i);
      Place place = placeOf(item);
      Part<Q> part = withRoom(byShard.get(place.shard()));
      part.add(item, i, place.field());
      add(part, item);
    }
    return rounds(byShard);
  }

  private Part<Q> withRoom(List<Part<Q>> parts) {
    Part<Q> last = parts.isEmpty() ? null : parts.get(parts.size() - 1);
    if (last == null || last.items.size() == MOST_ITEMS || last.bytes() >= MOST_BYTES) {
      last = new Part<>();
      parts.add(last);
    }
    return last;
  }

  /**
   * Returns the calls in rounds, each of which is sent when the one before it is answered: so items
   * of one key stay in their order, whatever becomes of a call.
   */
  private List<List<ShardPart<Q>>> rounds(List<List<Part<Q>>> byShard) {
    List<List<ShardPart<Q>>> rounds = new ArrayList<>();
    for (int shard = 0; shard < byShard.size(); shard++) {
      List<Part<Q>> parts = byShard.get(shard);
      boolean repeats = repeats(parts);
      for (int i = 0; i < parts.size(); i++) {
        parts.get(i).repeats = repeats;
        int round = repeats ? i : 0;
        if (round == rounds.size()) {
          rounds.add(new ArrayList<>());
        }
        rounds.get(round).add(new ShardPart<>(shard, parts.get(i)));
      }
    }
    return rounds;
  }

  private static <Q> boolean repeats(List<Part<Q>> parts) {
    long[] halves = parts.stream().flatMapToLong(Part::halves).sorted().toArray();
    for (int i = 1; i < halves.length; i++) {
      if (halves[i] == halves[i - 1]) {
        return true;
      }
    }
    return false;
  }

  private Call call(ShardPart<Q> it) {
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(shop.id());
    arguments.add(Part.ascii(it.part.repeats ? 1 : 0));
    begin(arguments, it.part);
    it.part.appendTo(arguments);
    return shop.call(script, it.shard, writes, arguments);
  }
}
