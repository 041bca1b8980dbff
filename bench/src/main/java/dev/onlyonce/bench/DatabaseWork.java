package dev.onlyonce.bench;

import java.util.List;
import java.util.Locale;

/**
 * What a contender does with a database, step by step, from as many threads as it wants. Safe for
 * use by these.
 */
interface DatabaseWork extends AutoCloseable {

  /** Does some of it; returns how many items that were. */
  int step() throws Exception;

  /** How many threads do steps. */
  default int threads() {
    return 1;
  }

  /** Whether they are virtual ones. */
  default boolean isVirtual() {
    return false;
  }

  @Override
  default void close() throws Exception {}

  /**
   * Makes the work of that name on a database in which nothing is but what {@link #prepare} has
   * made.
   *
   * @param keys how many are stored
   */
  static DatabaseWork named(String name, String url, int keys) throws Exception {
    return switch (name) {
      case "claims" -> ClaimWork.ofNewKeys(url);
      case "duplicates" -> ClaimWork.ofStoredKeys(url, keys);
      case "inserts" -> PlainWork.ofNewKeys(url);
      case "inserts-tolerant" -> PlainWork.ofKeysThatMayBeThere(url);
      case "rows" -> new PlainRows(url);
      case "insert-duplicates" -> PlainWork.ofStoredKeys(url, keys);
      case "insert-alone" -> PlainWork.oneByOne(url, 1);
      case "pooled-inserts" -> PlainWork.oneByOne(url, CONNECTIONS);
      case "combined-256" -> ClaimWork.combined(url, 256, false);
      case "combined-2000-virtual" -> ClaimWork.combined(url, 2_000, true);
      case "camel" -> DatabasePeers.camel(url, CONNECTIONS);
      case "spring" -> DatabasePeers.spring(url, CONNECTIONS);
      case "shedlock" -> DatabasePeers.shedLock(url, CONNECTIONS);
      default -> TogetherWork.named(name, url);
    };
  }

  /** The connections of whoever makes single calls. */
  int CONNECTIONS = 32;

  /** Makes the tables and stores so many keys. */
  static void prepare(String name, String url, int keys) throws Exception {
    if (name.contains("insert")) {
      PlainWork.createTable(url);
      if (keys > 0) {
        StoredKeys.fillPlain(url, keys);
      }
    } else if (List.of("claims", "duplicates").contains(name)) {
      ClaimWork.createTables(url);
      if (keys > 0) {
        StoredKeys.fillClaims(url, keys, false);
      }
    }
  }

  /** Says of a step that it did something else than it was measured for. */
  static void require(int expected, int found) {
    if (expected != found) {
      throw new IllegalStateException(
          String.format(Locale.ROOT, "%,d keys were new, not %,d", found, expected));
    }
  }
}
