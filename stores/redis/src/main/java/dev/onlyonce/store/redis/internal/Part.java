package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The items of a batch that go to one shard in one call. For one thread.
 *
 * @param <Q> an item
 */
final class Part<Q> {

  private static final byte[][] NUMBERS = new byte[64][];

  static {
    for (int i = 0; i < NUMBERS.length; i++) {
      NUMBERS[i] = Integer.toString(i).getBytes(US_ASCII);
    }
  }

  final List<Q> items = new ArrayList<>();

  /** Where the items stand in the batch. */
  final List<Integer> indexes = new ArrayList<>();

  private final List<byte[]> arguments = new ArrayList<>();
  private final Map<Object, Integer> kinds = new LinkedHashMap<>();
  private @Nullable Object lastKind;
  private byte[] lastArgument = {};
  private long bytes;

  /** Adds an argument for the items. */
  void add(byte[] argument) {
    arguments.add(argument);
    bytes += argument.length;
  }

  /**
   * Adds the number of a kind, counted from 1, and what is the item's own: what many items have in
   * common is sent once.
   */
  void addKind(Object kind, byte[] own) {
    if (own.length == 0 && kind.equals(lastKind)) {
      add(lastArgument);
      return;
    }
    Integer number = kinds.get(kind);
    if (number == null) {
      number = kinds.size() + 1;
      kinds.put(kind, number);
    }
    byte[] argument = new byte[2 + own.length];
    argument[0] = (byte) (number >>> 8);
    argument[1] = number.byteValue();
    System.arraycopy(own, 0, argument, 2, own.length);
    if (own.length == 0) {
      lastKind = kind;
      lastArgument = argument;
    }
    add(argument);
  }

  List<byte[]> arguments() {
    return arguments;
  }

  /** Returns the kinds in the order of their numbers. */
  Iterable<Object> kinds() {
    return kinds.keySet();
  }

  int kindCount() {
    return kinds.size();
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
