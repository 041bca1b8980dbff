package dev.onlyonce.store.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Purges by walking the heap, some pages a statement, since an index on a column that the verbs
 * change would cost more than all of the purging. Rows that somebody has locked are passed by.
 *
 * <p>A call goes on where the last one stopped, and ends at the latest when it has been everywhere
 * once or has read {@link #MOST_PAGES}.
 */
final class PostgreSqlPurge {

  private static final int PAGES = 256;
  private static final int MOST_PAGES = 16_384;

  private final String step;
  private final String pages;
  private final AtomicLong cursor = new AtomicLong();

  /**
   * @param patience as that of {@link PostgreSqlClaim}
   */
  PostgreSqlPurge(Tables tables, String patience) {
    step =
        tables.in(
            """
            with x as materialized (
              select c.ctid as t from {claim} c {patience}
              where c.ctid >= ?::tid and c.ctid < ?::tid and c.state between 2 and 4
                and c.expires_ms <= {millis} - ? and c.token <= {micros} - ?
              limit ? for update of c skip locked
            ), d as (
              delete from {claim} where ctid = any (array(select t from x)) returning token
            ), f as (
              update {meta} set token_floor = greatest(token_floor, (select max(token) from d))
              where id = 1 and exists (select 1 from d)
            )
            select count(*) from d
            """
                .replace("{patience}", patience)
                .replace("{millis}", PostgreSql.MILLIS)
                .replace("{micros}", PostgreSql.MICROS));
    pages =
        "select pg_relation_size('"
            + tables.claim()
            + "'::regclass) / current_setting('block_size')::bigint";
  }

  int step(Connection connection, int limit, long graceMillis) throws SQLException {
    long all = pages(connection);
    int purged = 0;
    long most = Math.min(all, MOST_PAGES);
    for (long read = 0; read < most && purged < limit; ) {
      long from = cursor.get() < all ? cursor.get() : 0;
      int now = step(connection, from, limit - purged, graceMillis);
      purged += now;
      if (purged < limit) {
        cursor.set(from + PAGES);
        read += PAGES;
      }
    }
    return purged;
  }

  private long pages(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(pages);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private int step(Connection connection, long from, int limit, long graceMillis)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(step)) {
      new Params(statement)
          .text("(" + from + ",0)")
          .text("(" + (from + PAGES) + ",0)")
          .number(graceMillis)
          .number(graceMillis * 1_000)
          .number(limit);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }
}
