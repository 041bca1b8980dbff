package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.store.jdbc.SqlDialect;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a database must at least be: older ones refuse statements, or crawl. */
record LeastVersion(int major, int minor, String why) {

  private static final LeastVersion POSTGRESQL =
      new LeastVersion(14, 0, "before it, each step of a purge reads the whole table");
  private static final LeastVersion MARIADB =
      new LeastVersion(10, 6, "before it, there is no SKIP LOCKED");
  private static final LeastVersion MYSQL =
      new LeastVersion(8, 0, "before it, there is no SKIP LOCKED");
  private static final LeastVersion H2 = new LeastVersion(0, 0, "");

  /** What MariaDB's greeting may begin with, which the drivers of others do not take away. */
  private static final String GREETING = "5.5.5-";

  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,5})(?:\\.(\\d{1,5}))?");

  /**
   * Refuses a database that is too old. What it does not understand it lets pass.
   *
   * @param found the version as the driver tells it
   */
  static void require(SqlDialect name, String found) {
    LeastVersion least =
        switch (name) {
          case POSTGRESQL -> POSTGRESQL;
          case MARIADB -> MARIADB;
          case MYSQL -> MYSQL;
          case H2 -> H2;
        };
    if (!least.isReached(found)) {
      throw SchemaCheck.refused(
          "the database is %s %s, and %d.%d is needed: %s"
              .formatted(name, found, least.major, least.minor, least.why),
          "use a newer one");
    }
  }

  private boolean isReached(String found) {
    Matcher numbers =
        NUMBERS.matcher(found.startsWith(GREETING) ? found.substring(GREETING.length()) : found);
    if (!numbers.lookingAt()) {
      return true;
    }
    int foundMajor = Integer.parseInt(numbers.group(1));
    String foundMinor = numbers.group(2);
    return foundMajor > major
        || (foundMajor == major
            && (foundMinor == null ? 0 : Integer.parseInt(foundMinor)) >= minor);
  }
}
