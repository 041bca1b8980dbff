package dev.onlyonce;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * What a completed key keeps for its duplicates: the handler's encoded result, or the statement
 * that there was none, or that it was not kept.
 */
public sealed interface Result {

  /** The handler returned nothing, or null. */
  None NONE = new None();

  /** There may have been a result, but it was too large, could not be encoded, or was not known. */
  NotKept NOT_KEPT = new NotKept();

  /**
   * The encoded result.
   *
   * @param type the content type, such as {@code text/plain}; 1 to 127 characters
   * @param bytes the encoded value; not to be changed by anybody
   */
  record Value(String type, byte[] bytes) implements Result {

    /**
     * @throws IllegalArgumentException if the type is empty or too long
     */
    public Value {
      if (type.isEmpty() || type.length() > 127) {
        throw new IllegalArgumentException(
            "result type must be 1 to 127 characters, was '" + type + "'");
      }
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Value value
          && type.equals(value.type)
          && Arrays.equals(bytes, value.bytes);
    }

    @Override
    public int hashCode() {
      return 31 * type.hashCode() + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
      return "Value[type=" + type + ", bytes=" + HexFormat.of().formatHex(bytes) + "]";
    }
  }

  /** The type of {@link #NONE}. */
  record None() implements Result {}

  /** The type of {@link #NOT_KEPT}. */
  record NotKept() implements Result {}
}
