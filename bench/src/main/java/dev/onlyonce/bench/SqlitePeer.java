package dev.onlyonce.bench;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.LockingMode;
import org.sqlite.SQLiteConfig.SynchronousMode;

/** A table of SQLite. */
final class SqlitePeer extends DurablePeer {

  static final String SETTINGS =
      "WAL, synchronous FULL, locking mode EXCLUSIVE, 256 MiB of cache, a checkpoint every 16,384"
          + " pages, a table WITHOUT ROWID, prepared statements in batches";

  private static final int CLAIMED = 1;
  private static final int DONE = 2;
  private static final int CACHE_KIB = 256 << 10;
  private static final int CHECKPOINT_PAGES = 16_384;

  private final Connection connection;
  private final PreparedStatement insert;
  private final PreparedStatement select;
  private final PreparedStatement update;

  SqlitePeer(Path folder) throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(JournalMode.WAL);
    config.setSynchronous(SynchronousMode.FULL);
    config.setLockingMode(LockingMode.EXCLUSIVE);
    config.setCacheSize(-CACHE_KIB);
    config.setWalAutocheckpoint(CHECKPOINT_PAGES);
    connection = config.createConnection("jdbc:sqlite:" + folder.resolve("claims.db"));
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE claims (key BLOB PRIMARY KEY, state INTEGER NOT NULL, token INTEGER NOT"
              + " NULL, request INTEGER NOT NULL, ends INTEGER NOT NULL) WITHOUT ROWID");
    }
    connection.setAutoCommit(false);
    insert =
        connection.prepareStatement(
            "INSERT INTO claims VALUES (?, " + CLAIMED + ", ?, ?, ?) ON CONFLICT DO NOTHING");
    select = connection.prepareStatement("SELECT state FROM claims WHERE key = ?");
    update =
        connection.prepareStatement(
            "UPDATE claims SET state = %d, ends = ? WHERE key = ? AND state = %d AND token = ?"
                .formatted(DONE, CLAIMED));
  }

  @Override
  List<byte[]> claim(byte[][] keys, long token, long leaseEnd) throws SQLException {
    for (byte[] key : keys) {
      insert.setBytes(1, key);
      insert.setLong(2, token);
      insert.setLong(3, requestId());
      insert.setLong(4, leaseEnd);
      insert.addBatch();
    }
    int[] inserted = insert.executeBatch();
    List<byte[]> fresh = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      if (inserted[i] == 1) {
        fresh.add(keys[i]);
      } else {
        require(state(keys[i]) == DONE);
      }
    }
    connection.commit();
    return fresh;
  }

  private int state(byte[] key) throws SQLException {
    select.setBytes(1, key);
    try (ResultSet rows = select.executeQuery()) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @Override
  void complete(List<byte[]> keys, long token, long expiry) throws SQLException {
    for (byte[] key : keys) {
      update.setLong(1, expiry);
      update.setBytes(2, key);
      update.setLong(3, token);
      update.addBatch();
    }
    for (int updated : update.executeBatch()) {
      require(updated == 1);
    }
    connection.commit();
  }

  @Override
  void shut() throws SQLException {
    connection.close();
  }
}
