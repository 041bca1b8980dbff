package dev.onlyonce.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Collections;
import java.util.function.Supplier;

/**
 * What one would write without a library: keys into a table of keys, with a moment. On PostgreSQL
 * many keys are one array, on MariaDB one list of values; sorted, so that several may do it at
 * once.
 */
final class PlainWork implements DatabaseWork {

  private final HikariDataSource pool;
  private final Supplier<byte[]> keys;
  private final int batch;
  private final int threads;
  private final boolean areNew;
  private final boolean isMariaDb;
  private final String sql;

  private PlainWork(
      String url,
      Supplier<byte[]> keys,
      int batch,
      int threads,
      boolean areNew,
      boolean isTolerant) {
    this.pool = ClaimWork.pool(url, threads);
    this.keys = keys;
    this.batch = batch;
    this.threads = threads;
    this.areNew = areNew;
    this.isMariaDb = DatabaseKind.of(url) == DatabaseKind.MARIADB;
    String values = String.join(", ", Collections.nCopies(batch, "(?)"));
    if (isMariaDb) {
      this.sql =
          "insert into plain_key (k) values "
              + values
              + (isTolerant ? " on duplicate key update k = k" : "");
    } else {
      this.sql =
          "insert into plain_key (k) "
              + (batch == 1 ? "values (?)" : "select unnest(?::bytea[])")
              + (isTolerant ? " on conflict do nothing" : "");
    }
  }

  static void createTable(String url) throws SQLException {
    String table =
        DatabaseKind.of(url) == DatabaseKind.MARIADB
            ? "k varbinary(255) primary key, at timestamp(3) not null default current_timestamp(3)"
            : "k bytea primary key, at timestamptz not null default now()";
    try (HikariDataSource pool = ClaimWork.pool(url, 1);
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table plain_key (" + table + ")");
    }
  }

  static DatabaseWork ofNewKeys(String url) {
    return new PlainWork(url, ClaimWork.newKeys(), ClaimWork.BATCH, 1, true, false);
  }

  /** New keys, by a statement that would pass by one that is there. */
  static DatabaseWork ofKeysThatMayBeThere(String url) {
    return new PlainWork(url, ClaimWork.newKeys(), ClaimWork.BATCH, 1, true, true);
  }

  static DatabaseWork ofStoredKeys(String url, int stored) {
    return new PlainWork(url, ClaimWork.storedKeys(stored), ClaimWork.BATCH, 1, false, true);
  }

  static DatabaseWork oneByOne(String url, int connections) {
    return new PlainWork(url, ClaimWork.newKeys(), 1, connections, true, false);
  }

  @Override
  public int step() throws SQLException {
    byte[][] some = new byte[batch][];
    Arrays.setAll(some, it -> keys.get());
    Arrays.sort(some, Arrays::compareUnsigned);
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      if (batch > 1 && !isMariaDb) {
        statement.setArray(1, connection.createArrayOf("bytea", some));
      } else {
        for (int i = 0; i < batch; i++) {
          statement.setBytes(i + 1, some[i]);
        }
      }
      int inserted = statement.executeUpdate();
      if (areNew) {
        DatabaseWork.require(batch, inserted);
      }
      return batch;
    }
  }

  @Override
  public int threads() {
    return threads;
  }

  @Override
  public void close() {
    pool.close();
  }
}
