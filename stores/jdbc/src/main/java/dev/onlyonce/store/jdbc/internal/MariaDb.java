package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.RecordId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** MariaDB, which returns what a claim has left, and knows lists of values as tables. */
final class MariaDb extends MySql {
  private static final long LONGEST_WAIT = 1L << 20; // as long as the server allows
  private static final String RETURNING = " returning scope, k, token, attempt, checkpoint, stamp";

  private final String patience;

  MariaDb(
      Tables tables,
      Text text,
      long toleranceMillis,
      boolean isSimultaneous,
      long packetBytes,
      Duration lockWait) {
    super(tables, text, toleranceMillis, isSimultaneous, packetBytes, true);
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

  /**
   * Most keys are new, so the statement returns no more than a grant has. The others' rows are read
   * then; in a transaction as they are, since it has them locked.
   */
  private List<Look> claim(
      Connection connection, String setting, List<Item.Claim> items, long stamp)
      throws SQLException {
    Map<RecordId, Look> granted = new HashMap<>();
    try (PreparedStatement statement = prepareClaim(connection, setting, items, stamp, RETURNING)) {
      // Not executeQuery: Connector/J refuses it for what is not a SELECT.
      statement.execute();
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          if (rows.getLong(6) == stamp) {
            granted.put(
                id(rows), Look.Grant.look(rows.getLong(3), rows.getInt(4), rows.getBytes(5)));
          }
        }
      }
    }
    List<RecordId> others =
        items.stream().map(Item::id).filter(it -> !granted.containsKey(it)).toList();
    if (!others.isEmpty()) {
      List<Look> looks = find(connection, others, connection.getAutoCommit() ? "" : LOCKED);
      for (int i = 0; i < others.size(); i++) {
        granted.put(others.get(i), looks.get(i));
      }
    }
    return items.stream().map(it -> granted.getOrDefault(it.id(), Look.NOTHING)).toList();
  }

  private static RecordId id(ResultSet rows) throws SQLException {
    return new RecordId(
        Scope.of(new String(rows.getBytes(1), US_ASCII)), Key.fromStored(rows.getBytes(2)));
  }
}
