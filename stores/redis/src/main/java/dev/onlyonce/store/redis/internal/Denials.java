package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Adds to what a server has refused the rules that the user lacks there, which a server does not
 * always name. It asks for them once a while, not for each call that fails. Safe for use by several
 * threads.
 */
final class Denials {

  private static final Duration ASKED_EVERY = Duration.ofSeconds(1);

  private final RedisPort port;
  private final RedisSettings settings;
  private volatile @Nullable Remedy last;

  /**
   * @param sentence empty if no rule is missing
   */
  private record Remedy(Node node, long askedNanos, String sentence) {}

  Denials(RedisPort port, RedisSettings settings) {
    this.port = port;
    this.settings = settings;
  }

  /** Returns the fault with the remedy, or as it is if the user lacks no rule there. */
  StoreException explain(StoreException fault, Node node) {
    Remedy remedy = last;
    long now = settings.time.nanoTime();
    if (remedy == null
        || !remedy.node.equals(node)
        || now - remedy.askedNanos > ASKED_EVERY.toNanos()) {
      remedy = new Remedy(node, now, ask(node));
      last = remedy;
    }
    return remedy.sentence.isEmpty()
        ? fault
        : new StoreException(fault.kind(), fault.getMessage() + remedy.sentence, fault);
  }

  private String ask(Node node) {
    try {
      Map<String, List<String>> missing = new Permissions(port, settings).missing(List.of(node));
      List<String> rules = missing.getOrDefault(node.toString(), List.of());
      return rules.isEmpty()
          ? ""
          : "; let the user do what a store does: ACL SETUSER "
              + port.user()
              + " "
              + String.join(" ", rules);
    } catch (StoreException e) {
      return ""; // what was refused is told all the same
    }
  }
}
