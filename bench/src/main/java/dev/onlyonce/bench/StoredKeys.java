package dev.onlyonce.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Keys that are in a database before it is measured, written by one statement there: in the order
 * of the keys, as a table has them that was restored. The n-th key is {@code msg-} and 16 digits of
 * MD5 of n, which every database can make, too.
 */
final class StoredKeys {

  private static final String COLUMNS =
      "scope, k, token, state, attempt, lapse, request, stamp, until_ms, expires_ms, created_ms,"
          + " updated_ms, result_kind, owner, key_text";

  private StoredKeys() {}

  /** Returns the n-th key. */
  static byte[] get(long n) {
    try {
      byte[] digest = MessageDigest.getInstance("MD5").digest(Long.toString(n).getBytes(US_ASCII));
      return ("msg-" + HexFormat.of().formatHex(digest, 0, 8)).getBytes(US_ASCII);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Fills the store's table with keys that are done. Those with odd numbers have expired a day ago
   * if it is wished.
   */
  static void fillClaims(String url, long keys, boolean oddExpired) throws SQLException {
    boolean isMariaDb = DatabaseKind.of(url) == DatabaseKind.MARIADB;
    String now =
        isMariaDb
            ? "unix_timestamp() * 1000"
            : "(extract(epoch from statement_timestamp()) * 1000)::bigint";
    String scope = "'" + StoreMemory.SCOPE + "'";
    String text = keyText(isMariaDb);
    String expires = now + " + case when n % 2 = 1 and " + oddExpired + " then -1 else 1 end";
    String sql =
        """
        insert into onlyonce_claim (%s)
        select %s, %s, 1700000000000000 + n, 2, 1, 1, n, n, 0, %s * 86400000, %s, %s, 0, 'bench', %s
        from %s order by 1, 2
        """
            .formatted(
                COLUMNS,
                scope,
                bytes(isMariaDb, text),
                expires,
                now,
                now,
                text,
                numbers(isMariaDb, keys));
    fill(url, sql, "onlyonce_claim");
  }

  /** Fills a plain table of keys. */
  static void fillPlain(String url, long keys) throws SQLException {
    boolean isMariaDb = DatabaseKind.of(url) == DatabaseKind.MARIADB;
    String sql =
        "insert into plain_key (k) select %s from %s order by 1"
            .formatted(bytes(isMariaDb, keyText(isMariaDb)), numbers(isMariaDb, keys));
    fill(url, sql, "plain_key");
  }

  private static String keyText(boolean isMariaDb) {
    return isMariaDb
        ? "concat('msg-', substr(md5(n), 1, 16))"
        : "'msg-' || substr(md5(n::text), 1, 16)";
  }

  private static String bytes(boolean isMariaDb, String text) {
    return isMariaDb ? "cast(" + text + " as binary)" : "convert_to(" + text + ", 'UTF8')";
  }

  private static String numbers(boolean isMariaDb, long keys) {
    return String.format(
        Locale.ROOT,
        isMariaDb
            ? "(select seq as n from seq_0_to_%d) s"
            : "(select n from generate_series(0, %d) n) s",
        keys - 1);
  }

  private static void fill(String url, String sql, String table) throws SQLException {
    DatabaseKind kind = DatabaseKind.of(url);
    String memory =
        kind == DatabaseKind.MARIADB
            ? "set session sort_buffer_size = 268435456"
            : "set work_mem = '512MB'";
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String todo : List.of(memory, sql, kind.statistics(table), kind.rest())) {
        statement.execute(todo);
      }
    }
  }
}
