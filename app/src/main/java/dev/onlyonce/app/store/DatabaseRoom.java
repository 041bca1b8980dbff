package dev.onlyonce.app.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;

/** Compares the room that the claims of a database take with the room that a load needs. */
final class DatabaseRoom {

  private static final String POSTGRESQL =
      "select pg_total_relation_size(to_regclass('onlyonce_claim'))";
  private static final String MYSQL =
      "select data_length + index_length from information_schema.tables"
          + " where table_schema = database() and table_name = 'onlyonce_claim'";

  private DatabaseRoom() {}

  /** Returns what there is to say; nothing if the database does not tell what the claims take. */
  static Optional<Finding> of(DataSource source, Load load, int bytesPerKey) throws SQLException {
    try (Connection connection = source.getConnection()) {
      String product = connection.getMetaData().getDatabaseProductName();
      if (product.equals("H2")) {
        return Optional.empty();
      }
      try (Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(product.equals("PostgreSQL") ? POSTGRESQL : MYSQL)) {
        if (!rows.next()) {
          return Optional.empty();
        }
        long taken = rows.getLong(1);
        return rows.wasNull()
            ? Optional.empty()
            : Optional.of(compare(taken, (long) (load.keys() * bytesPerKey)));
      }
    }
  }

  /** Neither is unsafe: whether the disk has what is missing cannot be known from here. */
  static Finding compare(long taken, long needed) {
    String sentence =
        text(
            "onlyonce_claim takes %,d MB, this rate and retention need about %,d MB",
            taken >> 20, needed >> 20);
    return Finding.note(
        "disk",
        taken > needed
            ? sentence + ": results take room, more keys came than that, or nobody purges"
            : sentence
                + text(
                    "; a database does not tell what its disk has free, so see to it that %,d MB are",
                    (needed - taken) >> 20));
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
