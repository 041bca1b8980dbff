package dev.onlyonce.services;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A table of texts, by JDBC. */
final class Jdbc {
  private Jdbc() {}

  static void write(String url, String value) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS notes (note VARCHAR(100))");
      statement.execute("INSERT INTO notes VALUES ('" + value + "')");
    }
  }

  static List<String> read(String url) throws SQLException {
    return column(url, "SELECT note FROM notes", 1);
  }

  static List<String> column(String url, String query, int number) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      List<String> values = new ArrayList<>();
      while (result.next()) {
        values.add(result.getString(number));
      }
      return values;
    }
  }
}
