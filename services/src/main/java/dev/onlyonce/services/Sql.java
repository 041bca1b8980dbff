package dev.onlyonce.services;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The few statements that are needed here, through the drivers on the class path. */
final class Sql {
  private static final Pattern URL =
      Pattern.compile(
          "(?<server>jdbc:(postgresql|mariadb)://[^/?]+:\\d+/)[^/?]*(?<options>\\?.*)?");

  private Sql() {}

  /** Asks for one value. */
  static String ask(String url, String query) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getString(1);
    }
  }

  /** Makes an empty database in the server that some URL leads to. */
  static <S extends Server> Database<S> newDatabase(String url) {
    String name = "onlyonce_" + UUID.randomUUID().toString().replace("-", "");
    Database<S> database = new Database<>(urlOf(name, url));
    execute(url, "CREATE DATABASE " + name);
    return database;
  }

  /** Drops a database, even if somebody is still connected to it. */
  static void drop(Database<?> database, String url) {
    String name = database.name();
    String force = url.startsWith("jdbc:postgresql:") ? " WITH (FORCE)" : "";
    execute(url, "DROP DATABASE " + name + force);
  }

  private static void execute(String url, String statement) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement todo = connection.createStatement()) {
      todo.execute(statement);
    } catch (SQLException e) {
      throw new ServerException(statement + " was refused: " + e.getMessage(), e);
    }
  }

  private static String urlOf(String name, String url) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new ServerException(
          "the URL of a server must look like jdbc:postgresql://HOST:PORT/DATABASE?user=NAME");
    }
    String options = parts.group("options");
    return parts.group("server") + name + (options == null ? "" : options);
  }
}
