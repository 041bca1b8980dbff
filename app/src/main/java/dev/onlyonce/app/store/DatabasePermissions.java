package dev.onlyonce.app.store;

import dev.onlyonce.app.store.Finding.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * Tries whether the user may do with the tables what a store does. Each statement is about no row
 * and is rolled back: a database looks at the permissions all the same.
 */
final class DatabasePermissions {

  private static final String TOPIC = "permissions";

  private static final List<Table> TABLES =
      List.of(
          new Table("claim", "token", "no key is claimed or settled", Verb.values()),
          new Table(
              "meta",
              "token_floor",
              "the tables cannot be recognised, and no key is forgotten",
              Verb.SELECT,
              Verb.UPDATE),
          new Table(
              "position",
              "epoch",
              "an inbox cannot save how far it is",
              Verb.SELECT,
              Verb.INSERT,
              Verb.UPDATE),
          new Table(
              "event",
              "token",
              "no key is claimed or settled while a history is kept",
              Verb.values()));

  private final DataSource source;
  private final String prefix;
  private boolean areThere = true;

  DatabasePermissions(DataSource source, String prefix) {
    this.source = source;
    this.prefix = prefix;
  }

  private enum Verb {
    SELECT("select count(*) from {table} where 1 = 0"),
    INSERT("insert into {table} select * from {table} where 1 = 0"),
    UPDATE("update {table} set {column} = {column} where 1 = 0"),
    DELETE("delete from {table} where 1 = 0");

    private final String statement;

    Verb(String statement) {
      this.statement = statement;
    }
  }

  /**
   * @param name without the prefix
   * @param column one of it, which its verbs change
   * @param otherwise what does not work without its permissions
   */
  private record Table(String name, String column, String otherwise, List<Verb> verbs) {
    Table(String name, String column, String otherwise, Verb... verbs) {
      this(name, column, otherwise, List.of(verbs));
    }
  }

  /**
   * Returns a finding for each table that lacks a permission; one that is not there lacks none, and
   * then nothing is said of the others.
   */
  List<Finding> examine() throws SQLException {
    List<Finding> findings = new ArrayList<>();
    try (Connection connection = source.getConnection()) {
      String user = user(connection);
      connection.setAutoCommit(false);
      for (Table table : TABLES) {
        List<Verb> missing = missing(connection, table);
        if (!missing.isEmpty()) {
          findings.add(new Finding(Level.BROKEN, TOPIC, sentence(table, missing, user)));
        }
      }
      if (findings.isEmpty() && areThere) {
        findings.add(Finding.ok(TOPIC, user + " may do what a store does with its tables"));
      }
    }
    return findings;
  }

  private List<Verb> missing(Connection connection, Table table) throws SQLException {
    if (isDenied(connection, table, Verb.SELECT)) {
      return table.verbs; // the others read what they change, so none of them can be tried
    }
    List<Verb> missing = new ArrayList<>();
    for (Verb verb : table.verbs) {
      if (isDenied(connection, table, verb)) {
        missing.add(verb);
      }
    }
    return missing;
  }

  private boolean isDenied(Connection connection, Table table, Verb verb) throws SQLException {
    String sql =
        verb.statement.replace("{table}", prefix + table.name).replace("{column}", table.column);
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
      return false;
    } catch (SQLException e) {
      areThere &= !SqlStates.isTableMissing(e);
      return SqlStates.isDenied(e);
    } finally {
      connection.rollback();
    }
  }

  private String sentence(Table table, List<Verb> missing, String user) {
    String verbs = String.join(", ", missing.stream().map(Verb::name).toList());
    String otherwise =
        missing.equals(List.of(Verb.DELETE))
            ? "no key is ever forgotten, and the table grows without end"
            : table.otherwise;
    return String.format(
        Locale.ROOT,
        "%s on %s is missing: %s; GRANT %s ON %s TO %s",
        verbs,
        prefix + table.name,
        otherwise,
        verbs,
        prefix + table.name,
        user);
  }

  /** Returns the user as a GRANT names it. */
  private static String user(Connection connection) throws SQLException {
    String quote = connection.getMetaData().getIdentifierQuoteString();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select current_user")) {
      rows.next();
      String user = rows.getString(1);
      int host = quote.equals("`") ? user.lastIndexOf('@') : -1;
      return host < 0
          ? quote + user + quote
          : "'" + user.substring(0, host) + "'@'" + user.substring(host + 1) + "'";
    }
  }
}
