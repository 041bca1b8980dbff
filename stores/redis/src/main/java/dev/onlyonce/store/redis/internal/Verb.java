package dev.onlyonce.store.redis.internal;

import dev.onlyonce.store.redis.internal.Places.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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

  /** Adds what the script is told of one item. */
  abstract void add(Part<Q> part, Q item, byte[] field);

  /** Adds what the script is told before its items. */
  abstract void begin(List<byte[]> arguments, Part<Q> part);

  /** Reads the answers of the items of a part, in their order. */
  abstract List<A> read(Part<Q> part, Call call);

  final List<A> run(List<? extends Q> batch) {
    @Nullable Object[] answers = new Object[batch.size()];
    for (List<ShardPart<Q>> round : split(batch)) {
      List<Call> calls = round.stream().map(this::call).toList();
      shop.dispatcher().run(calls);
      for (int i = 0; i < calls.size(); i++) {
        Part<Q> part = round.get(i).part;
        List<A> read = read(part, calls.get(i));
        for (int j = 0; j < read.size(); j++) {
          answers[part.indexes.get(j)] = read.get(j);
        }
      }
    }
    return answers(answers);
  }

  @SuppressWarnings("unchecked") // Nothing else was put in.
  private List<A> answers(@Nullable Object[] answers) {
    for (Object each : answers) {
      Objects.requireNonNull(each, "a script left an item out");
    }
    return (List<A>) Arrays.asList(answers);
  }

  private record ShardPart<Q>(int shard, Part<Q> part) {}

  /**
   * Splits a batch into rounds in which each shard is called once, so that items of one key stay in
   * their order whatever becomes of a call.
   */
  private List<List<ShardPart<Q>>> split(List<? extends Q> batch) {
    List<List<ShardPart<Q>>> rounds = new ArrayList<>();
    int[] roundOf = new int[shop.shards()];
    @Nullable Object[] partOf = new Object[shop.shards()];
    for (int i = 0; i < batch.size(); i++) {
      Q item = batch.get(i);
      Place place = placeOf(item);
      Part<Q> part = part(partOf[place.shard()]);
      if (part == null || part.items.size() == MOST_ITEMS || part.bytes() >= MOST_BYTES) {
        part = new Part<>();
        partOf[place.shard()] = part;
        int round = roundOf[place.shard()]++;
        if (round == rounds.size()) {
          rounds.add(new ArrayList<>());
        }
        rounds.get(round).add(new ShardPart<>(place.shard(), part));
      }
      part.items.add(item);
      part.indexes.add(i);
      add(part, item, place.field());
    }
    return rounds;
  }

  @SuppressWarnings("unchecked") // Nothing else was put in.
  private @Nullable Part<Q> part(@Nullable Object part) {
    return (Part<Q>) part;
  }

  private Call call(ShardPart<Q> it) {
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(shop.id());
    begin(arguments, it.part);
    arguments.addAll(it.part.arguments());
    return shop.call(script, it.shard, writes, arguments);
  }
}
