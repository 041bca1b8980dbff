package dev.onlyonce.app.store;

import dev.onlyonce.app.Quantity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** Compares the room that the claims of a database take with the room that a load needs. */
final class DatabaseRoom {

  private static final String POSTGRESQL = "select pg_total_relation_size(to_regclass(?))";
  private static final String MYSQL =
      "select data_length + index_length from information_schema.tables"
          + " where table_schema = database() and table_name = ?";

  private final String table;

  /**
   * @param table that has the claims
   */
  DatabaseRoom(String table) {
    this.table = table;
  }

  /** Returns what there is to say; nothing if the database does not tell what the claims take. */
  Optional<Finding> of(DataSource source, Load load, int bytesPerKey) throws SQLException {
    try (Connection connection = source.getConnection()) {
      String product = connection.getMetaData().getDatabaseProductName();
      if (product.equals("H2")) {
        return Optional.empty();
      }
      String question = product.equals("PostgreSQL") ? POSTGRESQL : MYSQL;
      try (PreparedStatement statement = connection.prepareStatement(question)) {
        statement.setString(1, table);
        return compare(statement, (long) (load.keys() * bytesPerKey));
      }
    }
  }

  private Optional<Finding> compare(PreparedStatement question, long needed) throws SQLException {
    try (ResultSet rows = question.executeQuery()) {
      if (!rows.next()) {
        return Optional.empty();
      }
      long taken = rows.getLong(1);
      return rows.wasNull() ? Optional.empty() : Optional.of(compare(taken, needed));
    }
  }

  /** Neither is unsafe: whether the disk has what is missing cannot be known from here. */
  private Finding compare(long taken, long needed) {
    String sentence =
        "%s takes %s, this rate and retention need about %s"
            .formatted(table, Quantity.mebibytes(taken), Quantity.mebibytes(needed));
    return Finding.note(
        "disk",
        taken > needed
            ? sentence + ": results take room, more keys came than that, or nobody purges"
            : sentence
                + "; a database does not tell what its disk has free, so see to it that "
                + Quantity.mebibytes(needed - taken)
                + " are");
  }
}
