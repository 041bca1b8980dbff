package dev.onlyonce.app.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * Reads the settings of a database on which it depends whether it forgets what it has answered.
 *
 * <p>Sources: PostgreSQL, "Write Ahead Log" and "Client Connection Defaults"; MariaDB, "InnoDB
 * System Variables" and "Replication and Binary Log System Variables"; MySQL, "The InnoDB Storage
 * Engine".
 */
final class DatabaseSettings {

  private static final String UNKNOWN = "unknown";
  private static final String POSTGRESQL =
      "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit',"
          + " 'full_page_writes', 'default_transaction_isolation', 'synchronous_standby_names',"
          + " 'autovacuum')"
          + " union all select 'in_recovery', pg_is_in_recovery()::text";
  private static final String MYSQL =
      "show variables where variable_name in ('innodb_flush_log_at_trx_commit', 'sync_binlog',"
          + " 'log_bin', 'innodb_doublewrite', 'sql_mode', 'tx_isolation', 'transaction_isolation',"
          + " 'read_only', 'innodb_rollback_on_timeout')";

  private final DataSource source;
  private final List<Finding> findings = new ArrayList<>();
  private Map<String, String> settings = Map.of();

  DatabaseSettings(DataSource source) {
    this.source = source;
  }

  List<Finding> examine() throws SQLException {
    try (Connection connection = source.getConnection()) {
      String product = connection.getMetaData().getDatabaseProductName();
      String version = connection.getMetaData().getDatabaseProductVersion();
      findings.add(Finding.ok("server", product + " " + version + askedAs(connection)));
      if (product.equals("PostgreSQL")) {
        settings = read(connection, POSTGRESQL);
        examinePostgreSql();
      } else if (product.equals("H2")) {
        findings.add(
            Finding.unsafe(
                "H2",
                "does not sync at each commit: a loss of power takes the last moments; use it for"
                    + " tests"));
      } else {
        settings = read(connection, MYSQL);
        examineMySql();
      }
    }
    return findings;
  }

  /** A setting may be another for another user: ALTER ROLE ... SET. */
  private static String askedAs(Connection connection) throws SQLException {
    String user = connection.getMetaData().getUserName();
    return user == null || user.isEmpty()
        ? ""
        : ", asked as user " + user + ": another one may have other settings";
  }

  private static Map<String, String> read(Connection connection, String sql) throws SQLException {
    Map<String, String> read = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        read.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
      }
    }
    return read;
  }

  private void examinePostgreSql() {
    require("fsync", "on", "a crash of the machine can damage the whole database");
    require("full_page_writes", "on", "a crash of the machine can damage pages that were written");
    require(
        "autovacuum",
        "on",
        "every settlement leaves a dead row, so the table grows without end and gets slower");
    String standbys = settings.getOrDefault("synchronous_standby_names", "");
    synchronousCommit(value("synchronous_commit"), !standbys.isEmpty());
    if ("true".equals(settings.get("in_recovery"))) {
      findings.add(
          new Finding(
              Finding.Level.BROKEN, "in_recovery", "this is a standby; claims need the primary"));
    }
    findings.add(
        Finding.note(
            "synchronous_standby_names",
            standbys.isEmpty()
                ? "none: a failover to a standby forgets what it had not received, and its keys are"
                    + " new"
                : standbys));
    isolation("default_transaction_isolation");
  }

  /**
   * @param isWaitedFor whether standbys are named that a commit is to wait for
   */
  private void synchronousCommit(String commit, boolean isWaitedFor) {
    String harm =
        switch (commit) {
          case "off", UNKNOWN -> "a crash takes the last moments, whose keys are new again";
          case "local" ->
              isWaitedFor
                  ? "no standby is waited for, whatever synchronous_standby_names says, and one that"
                      + " takes over forgets the last moments"
                  : "";
          case "remote_write" ->
              isWaitedFor
                  ? "a standby has what was answered in its memory only, and forgets it when it"
                      + " crashes with this server"
                  : "";
          default -> "";
        };
    if (harm.isEmpty()) {
      ok("synchronous_commit", commit);
    } else {
      unsafe(
          "synchronous_commit",
          commit + ": " + harm + "; set it to on, for the user of this store at least");
    }
  }

  private void examineMySql() {
    require(
        "innodb_flush_log_at_trx_commit",
        "1",
        "a crash takes the last second, whose keys are new again");
    if (value("log_bin").equals("OFF")) {
      ok("log_bin", "OFF: sync_binlog is of no meaning");
    } else {
      require(
          "sync_binlog", "1", "after a crash the replicas may lack what this server has answered");
    }
    String doubleWrite = value("innodb_doublewrite");
    if (Set.of("OFF", "0", UNKNOWN).contains(doubleWrite)) {
      unsafe(
          "innodb_doublewrite",
          doubleWrite + ": a crash of the machine can damage pages; set it to ON");
    } else {
      ok("innodb_doublewrite", doubleWrite);
    }
    String mode = settings.getOrDefault("sql_mode", "");
    if (mode.contains("STRICT_TRANS_TABLES") || mode.contains("STRICT_ALL_TABLES")) {
      ok("sql_mode", "strict");
    } else {
      unsafe(
          "sql_mode",
          "not strict, so what does not fit a column of your own tables is cut silently; add"
              + " STRICT_TRANS_TABLES");
    }
    if ("ON".equals(settings.get("read_only"))) {
      findings.add(
          new Finding(Finding.Level.BROKEN, "read_only", "ON: claims need the primary server"));
    }
    require(
        "innodb_rollback_on_timeout",
        "OFF",
        "a busy key would undo your whole transaction, so the inbox is refused");
    isolation(
        settings.containsKey("transaction_isolation") ? "transaction_isolation" : "tx_isolation");
  }

  private void isolation(String name) {
    String level = value(name);
    if (level.replace('-', ' ').equalsIgnoreCase("read committed")) {
      ok(name, level);
    } else {
      findings.add(
          Finding.note(
              name,
              level
                  + ": this store's own statements run at READ COMMITTED all the same; in your"
                  + " transactions more conflicts come, which Inbox begins anew"));
    }
  }

  /** Returns a setting, or that it is unknown: then it is not taken for safe. */
  private String value(String name) {
    return settings.getOrDefault(name, UNKNOWN);
  }

  private void require(String name, String safe, String otherwise) {
    String found = value(name);
    if (found.equals(safe)) {
      ok(name, found);
    } else {
      unsafe(name, found + ": " + otherwise + "; set it to " + safe);
    }
  }

  private void ok(String name, String value) {
    findings.add(Finding.ok(name, value));
  }

  private void unsafe(String name, String sentence) {
    findings.add(Finding.unsafe(name, sentence));
  }
}
