package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The items of a batch that go to one shard in one call. For one thread.
 *
 * @param <Q> an item
 */
final class Part<Q> {

  private static final byte[][] NUMBERS = new byte[1024][];

  static {
    for (int i = 0; i < NUMBERS.length; i++) {
      NUMBERS[i] = Integer.toString(i).getBytes(US_ASCII);
    }
  }

  final List<Q> items = new ArrayList<>();

  /** Where the items stand in the batch. */
  final List<Integer> indexes = new ArrayList<>();

  private final List<byte[]> fields = new ArrayList<>();
  private final List<byte[]> own = new ArrayList<>();
  private final List<Run> runs = new ArrayList<>();
  private long bytes;

  /** Whether two of its items may have the same key. */
  boolean repeats;

  /** Items that follow one another and have something in common, which is sent once. */
  static final class Run {
    final Object kind;
    private int count;

    private Run(Object kind) {
      this.kind = kind;
    }

    byte[] count() {
      return ascii(count);
    }
  }

  /** Adds an item. */
  void add(Q item, int index, byte[] field) {
    items.add(item);
    indexes.add(index);
    fields.add(field);
    bytes += field.length;
  }

  /** Adds what the script is told of the item that was added last. */
  void addOwn(byte[] argument) {
    own.add(argument);
    bytes += argument.length;
  }

  /** Says what the item that was added last has in common with others. */
  void addKind(Object kind) {
    Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
    if (last == null || !last.kind.equals(kind)) {
      last = new Run(kind);
      runs.add(last);
    }
    last.count++;
  }

  /** Returns half of each field, by which two keys are surely told apart if they differ. */
  LongStream halves() {
    return fields.stream().mapToLong(it -> ByteBuffer.wrap(it).getLong());
  }

  List<Run> runs() {
    return runs;
  }

  /** Adds the fields of all items, and then what is each item's own. */
  void appendTo(List<byte[]> arguments) {
    arguments.addAll(fields);
    arguments.addAll(own);
  }

  /** How large the call is, without what the items have in common. */
  long bytes() {
    return bytes;
  }

  static byte[] ascii(long number) {
    return number >= 0 && number < NUMBERS.length
        ? NUMBERS[(int) number]
        : Long.toString(number).getBytes(US_ASCII);
  }
}
