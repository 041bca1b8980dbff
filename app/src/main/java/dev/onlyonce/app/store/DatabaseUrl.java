package dev.onlyonce.app.store;

import dev.onlyonce.store.jdbc.SqlDialect;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The JDBC URL of a database, looked at before its driver is: a driver only says whether it takes
 * one. As text it has no password.
 *
 * @param text as it was given
 */
record DatabaseUrl(String text) {

  private static final String MYSQL = "jdbc:mysql:";
  private static final String POSTGRESQL = "jdbc:postgresql:";
  private static final String MARIADB = "jdbc:mariadb:";
  private static final String H2 = "jdbc:h2:";

  /** MariaDB's may say before the hosts how one of them is chosen. */
  private static final Pattern WITH_HOSTS =
      Pattern.compile("jdbc:\\w+:(?:\\w+:)?//(?<hosts>[^/?]*)(?<path>/[^?]*)?(?:\\?.*)?");

  private static final Pattern PORT = Pattern.compile(":([^]:]*)$");
  private static final int LARGEST_PORT = 65_535;

  boolean isPostgreSql() {
    return text.startsWith(POSTGRESQL);
  }

  boolean isMariaDb() {
    return text.startsWith(MARIADB);
  }

  /** Whether it is one for MySQL's own driver. */
  boolean isMySql() {
    return text.startsWith(MYSQL);
  }

  /** Whether the program has the driver. */
  boolean hasDriver() {
    return isPostgreSql() || isMariaDb() || text.startsWith(H2);
  }

  /** Returns what kind of database it leads to, as its beginning says. */
  SqlDialect dialect() {
    if (isPostgreSql()) {
      return SqlDialect.POSTGRESQL;
    }
    if (text.startsWith(H2)) {
      return SqlDialect.H2;
    }
    return isMySql() ? SqlDialect.MYSQL : SqlDialect.MARIADB;
  }

  /** Returns the same database, reached by MariaDB's driver. */
  String forMariaDb() {
    return toString().replaceFirst(MYSQL, MARIADB);
  }

  /** Tells whether it sets this property of the driver. */
  boolean sets(String property) {
    return Pattern.compile("[?&;]" + property + "=", Pattern.CASE_INSENSITIVE).matcher(text).find();
  }

  /** Returns how many hosts it names; they are tried one after the other. */
  int hosts() {
    return authority().split(",", -1).length;
  }

  /** Returns host and port, as far as they are known. */
  String where() {
    String hosts = authority();
    String named = hosts.isEmpty() ? "localhost" : hosts;
    return PORT.matcher(named).find() || named.contains("=")
        ? named
        : named + (isPostgreSql() ? ":5432" : ":3306");
  }

  private String authority() {
    Matcher matcher = WITH_HOSTS.matcher(text);
    return matcher.matches() ? matcher.group("hosts") : "";
  }

  /** Returns what is wrong with it, to be said of it; null if nothing is, as far as is seen. */
  @Nullable String fault() {
    if (!isPostgreSql() && !isMariaDb()) {
      return null; // H2 says it well
    }
    if (Credentials.isIn(text)) {
      return "has a user or a password before its host, where its driver takes none: give them by"
          + " --user and --password-file";
    }
    Matcher matcher = WITH_HOSTS.matcher(text);
    if (!matcher.matches()) {
      boolean isLocal = isPostgreSql() && !text.startsWith(POSTGRESQL + "/");
      return isLocal ? null : "has no host, which stands behind two slashes";
    }
    for (String host : matcher.group("hosts").split(",", -1)) {
      Matcher port = PORT.matcher(host);
      if (port.find() && !isPort(port.group(1))) {
        return "has the port '" + port.group(1) + "', and ports are 1 to " + LARGEST_PORT;
      }
    }
    String path = matcher.group("path");
    // PostgreSQL's driver takes the user's name where only the slash is there.
    if (path == null || (isMariaDb() && path.length() == 1)) {
      return "names no database, which stands behind the host and a slash";
    }
    return isPostgreSql() && path.indexOf('/', 1) > 0
        ? "has a slash in the name of its database, which is written %2F there"
        : null;
  }

  private static boolean isPort(String digits) {
    if (!digits.matches("[0-9]{1,5}")) {
      return false;
    }
    int number = Integer.parseInt(digits);
    return number >= 1 && number <= LARGEST_PORT;
  }

  /** Returns how one is written. */
  String example() {
    return isPostgreSql()
        ? "jdbc:postgresql://db.example:5432/shop"
        : "jdbc:mariadb://db.example:3306/shop";
  }

  @Override
  public String toString() {
    return Credentials.hidden(text);
  }
}
