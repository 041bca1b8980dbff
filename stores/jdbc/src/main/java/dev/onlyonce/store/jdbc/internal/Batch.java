package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A batch on its way through statements. Each statement gets items of different keys, in {@link
 * Item#LOCK_ORDER}, and not too many; the second item of a key comes into a later statement than
 * the first.
 *
 * @param <I> items
 * @param <A> their answers
 */
final class Batch<I extends Item, A> {

  /** How many items a statement has at the most. */
  static final int MOST_ITEMS = 1_000;

  /** About how many bytes a statement brings at the most, unless one item has more. */
  private static final int MOST_BYTES = 1 << 20;

  private static final long ITEM_BYTES = 200;

  private final List<I> items;
  private final int mostBytes;
  private final @Nullable Object[] answers;

  /**
   * @param mostBytes how many bytes the server takes in a statement
   * @throws StoreException if an item alone has more
   */
  Batch(List<I> items, int mostBytes) {
    for (I item : items) {
      if (ITEM_BYTES + item.weight() > mostBytes) {
        throw tooLarge(item, mostBytes);
      }
    }
    this.items = items;
    this.mostBytes = Math.min(MOST_BYTES, mostBytes);
    this.answers = new Object[items.size()];
  }

  private static StoreException tooLarge(Item item, int mostBytes) {
    return new StoreException(
        StoreException.Kind.REJECTED,
        ("key %s of scope %s brings %,d bytes, the server takes %,d in a statement, half of its"
                + " max_allowed_packet: raise that, or bring less")
            .formatted(item.key(), item.scope().name(), item.weight(), mostBytes));
  }

  void forEachStatement(Consumer<Part<I, A>> statement) {
    for (List<Integer> round : rounds()) {
      round.sort(Comparator.comparing(items::get, Item.LOCK_ORDER));
      int from = 0;
      while (from < round.size()) {
        int to = from + 1;
        long bytes = weight(round.get(from));
        while (to < round.size()
            && to - from < MOST_ITEMS
            && bytes + weight(round.get(to)) <= mostBytes) {
          bytes += weight(round.get(to));
          to++;
        }
        statement.accept(new Part<>(this, round.subList(from, to)));
        from = to;
      }
    }
  }

  private long weight(int index) {
    return ITEM_BYTES + items.get(index).weight();
  }

  /** The first items of all keys, the second ones, and so on. */
  private List<List<Integer>> rounds() {
    List<List<Integer>> rounds = new ArrayList<>();
    Map<RecordId, Integer> seen = new HashMap<>();
    for (int i = 0; i < items.size(); i++) {
      int round = seen.merge(items.get(i).id(), 1, Integer::sum) - 1;
      if (round == rounds.size()) {
        rounds.add(new ArrayList<>());
      }
      rounds.get(round).add(i);
    }
    return rounds;
  }

  /** Returns the answers, in the order of the items. */
  @SuppressWarnings("unchecked") // Only answers are put in.
  List<A> answers() {
    return (List<A>) List.of(answers);
  }

  /**
   * What one statement is asked.
   *
   * @param <I> items
   * @param <A> their answers
   */
  static final class Part<I extends Item, A> {
    private final Batch<I, A> batch;
    private final List<Integer> all;

    private Part(Batch<I, A> batch, List<Integer> all) {
      this.batch = batch;
      this.all = all;
    }

    private int[] openIndexes() {
      return all.stream()
          .mapToInt(Integer::intValue)
          .filter(it -> batch.answers[it] == null)
          .toArray();
    }

    boolean isDone() {
      return openIndexes().length == 0;
    }

    /** The items that have no answer yet. */
    List<I> open() {
      return Arrays.stream(openIndexes()).mapToObj(batch.items::get).toList();
    }

    /** Answers the open items by their index among those; null leaves one open. */
    void answerOpen(IntFunction<@Nullable A> answer) {
      int[] open = openIndexes();
      for (int i = 0; i < open.length; i++) {
        batch.answers[open[i]] = answer.apply(i);
      }
    }
  }
}
