package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import java.util.Set;

/** What an error of a server means for the caller. */
final class Faults {

  /** Errors that a failover, a restart or a migration brings and takes away. */
  private static final Set<String> PASSING =
      Set.of(
          "LOADING",
          "READONLY",
          "TRYAGAIN",
          "CLUSTERDOWN",
          "MASTERDOWN",
          "BUSY",
          "NOREPLICAS",
          "MOVED",
          "ASK",
          "NOSCRIPT",
          "UNBLOCKED");

  private Faults() {}

  /** Tells whether an error may be gone when it is tried again. */
  static boolean passes(String code) {
    return PASSING.contains(code);
  }

  /** Returns what the caller is told of an error that does not pass, or has not in time. */
  static StoreException told(Node node, RedisPort.RedisError error) {
    String code = error.code();
    if (code.equals("OOM")) {
      return new StoreException(
          Kind.FULL,
          node
              + " has reached its maxmemory and takes neither new keys nor such as were released"
              + " or lapsed, nor resets:"
              + " raise maxmemory, shorten the retention or purge; it said: "
              + error.message());
    }
    if (code.equals("FOREIGN")) {
      return new StoreException(
          Kind.REJECTED,
          "a shard at "
              + node
              + " is not of this store any more: it was emptied or replaced while the store was"
              + " open; find out what became of its records, then open the store anew; if it decides for"
              + " tiers, rebuild these with onlyonce doctor --rebuild");
    }
    boolean passes = passes(code) || code.equals("MISCONF");
    return new StoreException(
        passes ? Kind.UNAVAILABLE : Kind.REJECTED, node + " answered: " + error.message());
  }

  /**
   * Tells whether an error may say that the user lacks a permission: in a script some servers tell
   * that in words of their own.
   */
  static boolean mayBeDenial(RedisPort.RedisError error) {
    return error.code().equals("NOPERM") || error.code().equals("ERR");
  }

  static Throwable innermost(Throwable fault) {
    Throwable innermost = fault;
    while (innermost.getCause() != null && innermost.getCause() != innermost) {
      innermost = innermost.getCause();
    }
    return innermost;
  }
}
