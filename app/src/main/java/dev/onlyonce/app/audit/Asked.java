package dev.onlyonce.app.audit;

import dev.onlyonce.app.input.Format;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for on one side.
 *
 * @param keyOption the option that the key was given with, for messages
 * @param formatOption the option that would say the format
 * @param keys pointers or columns; none stands for the whole record, which is a key as text if it
 *     is short enough
 * @param format null if the first bytes are to tell
 * @param isForBoth whether the key was given for both sides at once
 */
public record Asked(
    String keyOption,
    String formatOption,
    List<String> keys,
    @Nullable Format format,
    boolean isForBoth) {

  /** Copies the list. */
  public Asked {
    keys = List.copyOf(keys);
  }

  /** What was asked for with options of this side. */
  public Asked(String keyOption, String formatOption, List<String> keys, @Nullable Format format) {
    this(keyOption, formatOption, keys, format, false);
  }

  /** What is asked of the effects by the key of what was sent: plain lines are whole keys. */
  public static Asked ofEffectsToo(List<String> keys, @Nullable Format format) {
    return new Asked("--key", "--effects-format", keys, format, true);
  }

  /**
   * Returns what helps to tell the format: columns. A pointer does not, since what is read as JSON
   * for no other reason may be something else, of which each record would be told to be damaged.
   */
  public List<String> hints() {
    return hasPointer() ? List.of() : keys;
  }

  /** Tells whether a key is a JSON Pointer, which no other format has. */
  boolean hasPointer() {
    return keys.stream().anyMatch(key -> key.startsWith("/"));
  }
}
