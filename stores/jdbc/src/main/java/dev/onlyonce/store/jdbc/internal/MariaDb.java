package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.spi.RecordId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** MariaDB, which returns the rows that the statement has left, whether it changed them or not. */
final class MariaDb extends MySql {
  private static final long LONGEST_WAIT = 1L << 20; // as long as the server allows
  private static final String RETURNING = " returning " + MICROS + ", " + Row.COLUMNS;

  private final String patience;

  MariaDb(
      Tables tables, Text text, long toleranceMillis, boolean isSimultaneous, Duration lockWait) {
    super(tables, text, toleranceMillis, isSimultaneous);
    long seconds = Math.max(1, Math.min(lockWait.toSeconds(), LONGEST_WAIT));
    this.patience = waiting(seconds);
  }

  @Override
  public List<Look> claim(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    return claim(connection, patience, items, stamp);
  }

  @Override
  List<Look> claimHurried(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    return claim(connection, waiting(0), items, stamp);
  }

  private static String waiting(long seconds) {
    return "set statement innodb_lock_wait_timeout = " + seconds + " for ";
  }

  @Override
  String patience() {
    return patience;
  }

  private List<Look> claim(
      Connection connection, String setting, List<Item.Claim> items, long stamp)
      throws SQLException {
    String sql = setting + claimStatement(items) + RETURNING;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      setItems(statement, items, stamp);
      // Not executeQuery: Connector/J refuses it for what is not a SELECT.
      statement.execute();
      Map<RecordId, Look> looks = new HashMap<>();
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          Row row = Row.read(rows, 2);
          if (row != null) {
            looks.put(row.id(), new Look(rows.getLong(1), 0, row).by(stamp));
          }
        }
      }
      return items.stream().map(it -> looks.getOrDefault(it.id(), Look.NOTHING)).toList();
    }
  }
}
