package dev.onlyonce.app.audit;

import dev.onlyonce.Key;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key with which something is wrong.
 *
 * @param kind what is wrong
 * @param key the key
 * @param sent where it was sent first; null if it was not
 * @param times how often it has taken effect
 * @param effects where, the first two
 */
public record Finding(Kind kind, Key key, @Nullable Place sent, long times, List<Place> effects) {

  /** What can be wrong with a key. */
  public enum Kind {
    /** It was sent and has not taken effect. */
    MISSING,
    /** It has taken effect more than once. */
    DOUBLED,
    /** It has taken effect and was not sent. */
    UNEXPECTED
  }
}
