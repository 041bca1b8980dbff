package dev.onlyonce.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * Rows as the store's own ones into a table as the store's, by one plain insert of 1,000 that fails
 * if a key is there: what a database takes for writing them.
 */
final class PlainRows implements DatabaseWork {

  private static final String INSERT =
      "insert into plain_row (scope, k, token, state, attempt, lapse, request, stamp, until_ms,"
          + " expires_ms, created_ms, updated_ms, result_kind, owner, key_text) ";
  private static final String CONSTANTS =
      "1700000000000000, 1, 1, 1, %s, 1, 1700000030000, 9223372036854775807, 1700000000000,"
          + " 1700000000000, 0, 'bench', ";

  private final HikariDataSource pool;
  private final Supplier<byte[]> keys = ClaimWork.newKeys();
  private final boolean isMariaDb;
  private final String sql;

  PlainRows(String url) throws SQLException {
    ClaimWork.createTables(url);
    this.pool = ClaimWork.pool(url, 1);
    this.isMariaDb = DatabaseKind.of(url) == DatabaseKind.MARIADB;
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      if (isMariaDb) {
        statement.execute("create table plain_row like onlyonce_claim");
      } else {
        statement.execute("create table plain_row (like onlyonce_claim including all)");
        statement.execute("alter table plain_row set (fillfactor = 50)");
      }
    }
    String row = "('bench', ?, " + CONSTANTS.formatted("?") + "?)";
    this.sql =
        INSERT
            + (isMariaDb
                ? "values " + String.join(", ", Collections.nCopies(ClaimWork.BATCH, row))
                : "select 'bench', k, "
                    + CONSTANTS.formatted("r")
                    + "t from unnest(?::bytea[], ?::bigint[], ?::text[]) u(k, r, t)");
  }

  @Override
  public int step() throws SQLException {
    byte[][] some = new byte[ClaimWork.BATCH][];
    Arrays.setAll(some, it -> keys.get());
    Arrays.sort(some, Arrays::compareUnsigned);
    String[] texts = Arrays.stream(some).map(MessageKeys::text).toArray(String[]::new);
    Long[] requests = new Long[some.length];
    Arrays.setAll(requests, it -> ThreadLocalRandom.current().nextLong());
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      if (isMariaDb) {
        for (int i = 0; i < some.length; i++) {
          statement.setBytes(3 * i + 1, some[i]);
          statement.setLong(3 * i + 2, requests[i]);
          statement.setString(3 * i + 3, texts[i]);
        }
      } else {
        statement.setArray(1, connection.createArrayOf("bytea", some));
        statement.setArray(2, connection.createArrayOf("int8", requests));
        statement.setArray(3, connection.createArrayOf("text", texts));
      }
      DatabaseWork.require(some.length, statement.executeUpdate());
      return some.length;
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
