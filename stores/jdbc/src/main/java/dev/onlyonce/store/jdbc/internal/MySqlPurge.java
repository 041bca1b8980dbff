package dev.onlyonce.store.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Purges by walking the primary key, some thousand rows a transaction. Rows that somebody has
 * locked are passed by, and so are those whose token is ahead of the clock: a claim that has read
 * the floor already and waits for such a row would give the same token again when it is gone.
 *
 * <p>A call goes on where the last one stopped, and ends at the latest when it has come to the end
 * of the table or has read {@link #MOST_STEPS} times {@link #ROWS} rows.
 */
final class MySqlPurge {

  private static final int ROWS = 4_096;
  private static final int MOST_STEPS = 64;
  private static final int MOST_DELETED = 999;

  /** A lock that was not to be waited for, on MariaDB and on MySQL. */
  private static final List<Integer> BUSY = List.of(1205, 3572);

  private record Place(byte[] scope, byte[] k) {}

  private static final Place START = new Place(new byte[0], new byte[0]);

  private static final Columns<Place> PLACES =
      new Columns<>("k", Place::k).bytes("scope", Place::scope);

  private final Tables tables;
  private final boolean hasValues;
  private volatile Place cursor = START;

  MySqlPurge(Tables tables, boolean hasValues) {
    this.tables = tables;
    this.hasValues = hasValues;
  }

  int step(Connection connection, int limit, long graceMillis) throws SQLException {
    int purged = 0;
    boolean startsAnew = false;
    for (int step = 0; step < MOST_STEPS && purged < limit; step++) {
      Place from = cursor;
      Place to = end(connection, from);
      int most = Math.min(limit - purged, MOST_DELETED);
      int now;
      try {
        now = Atomic.on(connection, () -> purge(connection, from, to, most, graceMillis));
      } catch (SQLException e) {
        if (BUSY.contains(e.getErrorCode())) {
          return purged; // a transaction above READ COMMITTED has read the floor: another time
        }
        throw e;
      }
      purged += now;
      if (now == most) {
        continue; // there may be more of them before the end of this part
      }
      cursor = to == null ? START : to;
      if (to == null) {
        if (startsAnew || from.scope().length == 0) {
          break;
        }
        startsAnew = true;
      }
    }
    return purged;
  }

  private static final String AFTER = "(scope > ? or (scope = ? and k > ?))";

  /** The last row of the part that begins after this place; null if the table ends in it. */
  private @Nullable Place end(Connection connection, Place from) throws SQLException {
    String sql =
        tables.in(
            "select scope, k from {claim} where "
                + AFTER
                + " order by scope, k limit 1 offset "
                + (ROWS - 1));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      new Params(statement).bytes(from.scope()).bytes(from.scope()).bytes(from.k());
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? new Place(rows.getBytes(1), rows.getBytes(2)) : null;
      }
    }
  }

  private int purge(
      Connection connection, Place from, @Nullable Place to, int limit, long graceMillis)
      throws SQLException {
    List<Place> places = new ArrayList<>();
    long token = lock(connection, from, to, limit, graceMillis, places);
    if (places.isEmpty()) {
      return 0;
    }
    Columns.Filled<Place> table = PLACES.of(places);
    try (PreparedStatement statement =
        connection.prepareStatement(
            tables.in(
                "delete c from ("
                    + table.rows(hasValues)
                    + ") i straight_join "
                    + MySql.CLAIM
                    + " on c.scope = i.scope and c.k = i.k"))) {
      table.setRows(new Params(statement));
      statement.executeUpdate();
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            tables.in("select id from {meta} where id = 1 for update nowait"))) {
      statement.executeQuery().close();
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            tables.in("update {meta} set token_floor = greatest(token_floor, ?) where id = 1"))) {
      new Params(statement).number(token);
      statement.executeUpdate();
    }
    return places.size();
  }

  /** Locks what has expired and is not locked; returns the largest token of it. */
  private long lock(
      Connection connection,
      Place from,
      @Nullable Place to,
      int limit,
      long graceMillis,
      List<Place> places)
      throws SQLException {
    String sql =
        tables.in(
            "select scope, k, token from {claim} where "
                + AFTER
                + (to == null ? "" : " and (scope < ? or (scope = ? and k <= ?))")
                + " and state between 2 and 4 and expires_ms <= "
                + MySql.MILLIS
                + " - ? and token <= "
                + MySql.MICROS
                + " - ? order by scope, k limit ? for update skip locked");
    long token = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      Params params = new Params(statement);
      params.bytes(from.scope()).bytes(from.scope()).bytes(from.k());
      if (to != null) {
        params.bytes(to.scope()).bytes(to.scope()).bytes(to.k());
      }
      params.number(graceMillis).number(graceMillis * 1_000).number(limit);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          places.add(new Place(rows.getBytes(1), rows.getBytes(2)));
          token = Math.max(token, rows.getLong(3));
        }
      }
    }
    return token;
  }
}
