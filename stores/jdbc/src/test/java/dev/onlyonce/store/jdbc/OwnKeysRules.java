package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Race;
import dev.onlyonce.testkit.Semantics;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys in the user's own tables: told apart to the last byte, and locked only where they are. */
abstract class OwnKeysRules {

  private static final InsertOnce ORDER = InsertOnce.into("own_order", "no", "cents", "invoice");

  final DataSource source;
  private final SqlDialect dialect;

  OwnKeysRules(DataSource source) {
    this.source = source;
    this.dialect = JdbcStore.on(source).createTables().open().dialect();
  }

  @BeforeEach
  void empty() {
    if (dialect == SqlDialect.POSTGRESQL) {
      Pools.run(
          source,
          "CREATE COLLATION IF NOT EXISTS folding"
              + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
    }
    Pools.run(
        source,
        "DROP TABLE IF EXISTS own_order",
        "DROP TABLE IF EXISTS own_folding",
        "DROP TABLE IF EXISTS own_exact",
        "DROP TABLE IF EXISTS own_numbered",
        "CREATE TABLE own_order (no VARCHAR(40) PRIMARY KEY, cents BIGINT NOT NULL,"
            + " invoice INT NOT NULL UNIQUE)",
        table("own_folding", folding()),
        table("own_exact", exact()),
        table("own_numbered", "BIGINT"));
  }

  private static String table(String name, String type) {
    return "CREATE TABLE %s (id %s PRIMARY KEY, version BIGINT NOT NULL, status VARCHAR(20))"
        .formatted(name, type);
  }

  private String folding() {
    return switch (dialect) {
      case POSTGRESQL -> "VARCHAR(40) COLLATE folding";
      case MARIADB, MYSQL -> "VARCHAR(40) CHARACTER SET utf8mb4";
      case H2 -> "VARCHAR_IGNORECASE(40)";
    };
  }

  private String exact() {
    return switch (dialect) {
      case POSTGRESQL, H2 -> "VARCHAR(40)";
      case MARIADB, MYSQL -> "VARBINARY(40)";
    };
  }

  @AfterAll
  static void close() {
    Pools.close();
  }

  final Connection begin() throws SQLException {
    Connection connection = source.getConnection();
    connection.setAutoCommit(false);
    if (dialect == SqlDialect.MARIADB) { // who waits for a neighbour is told soon
      run(connection, "SET innodb_lock_wait_timeout = 1");
    }
    return connection;
  }

  private static void run(Connection transaction, String sql) throws SQLException {
    try (Statement statement = transaction.createStatement()) {
      statement.execute(sql);
    }
  }

  private long count(String table) {
    return Pools.number(source, "SELECT count(*) FROM " + table);
  }

  private static void use(Connection transaction, String table, Object key) throws SQLException {
    assertThat(GuardedUpsert.into(table, "id", "version", "status").apply(transaction, key, 5, "A"))
        .isEqualTo(GuardedUpsert.Answer.APPLIED);
    assertThat(InsertOnce.into(table, "id", "version").apply(transaction, key, 1L))
        .isEqualTo(InsertOnce.Answer.ALREADY_THERE);
    Transitions transitions = Transitions.of(table, "id", "status").allow("A", "B").build();
    assertThat(transitions.apply(transaction, key, "B"))
        .isEqualTo(new Transitions.Answer.Applied());
  }

  @Test
  @Semantics({37, 38, 39})
  @Case(1)
  void keys_that_differ_in_case_accents_or_blanks_have_rows_of_their_own() throws SQLException {
    try (Connection transaction = begin()) {
      for (String key : List.of("order-a", "Order-A", "cafe", "caf\u00e9", "x", "x ")) {
        use(transaction, "own_exact", key);
      }
      transaction.commit();
    }
    assertThat(count("own_exact")).isEqualTo(6);
  }

  @Test
  @Semantics({37, 38, 39})
  @Case(1)
  void a_key_column_that_folds_never_has_one_key_taken_for_another() throws SQLException {
    List<String> others = new ArrayList<>(List.of("ORDER-a"));
    if (dialect == SqlDialect.MARIADB) {
      others.add("order-a ");
      others.add("\u00f6rder-a");
    }
    try (Connection transaction = begin()) {
      use(transaction, "own_folding", "order-a");
      transaction.commit();
    }
    for (String other : others) {
      GuardedUpsert upsert = GuardedUpsert.into("own_folding", "id", "version", "status");
      Transitions transitions =
          Transitions.of("own_folding", "id", "status").allow("B", "C").build();
      InsertOnce once = InsertOnce.into("own_folding", "id", "version");
      assertTold(transaction -> upsert.apply(transaction, other, 9, "C"), other);
      assertTold(transaction -> upsert.apply(transaction, other, 5, "C"), other);
      assertTold(transaction -> upsert.apply(transaction, other, 1, "C"), other);
      assertTold(transaction -> transitions.apply(transaction, other, "C"), other);
      assertTold(transaction -> once.apply(transaction, other, 1L), other);
    }
    try (Connection transaction = begin()) {
      assertThat(
              Transitions.of("own_folding", "id", "status")
                  .allow("B", "C")
                  .build()
                  .apply(transaction, "order-a", "C"))
          .as("nothing was changed")
          .isEqualTo(new Transitions.Answer.Applied());
      transaction.rollback();
    }
  }

  /**
   * MariaDB, MySQL and H2 make a number of the text, and so find a row of another key; the first
   * two make one of bytes as well, which one of the tables has there.
   */
  @Test
  @Semantics({37, 39})
  @Case(1)
  void a_number_is_not_the_key_of_a_row_whose_key_is_text() throws SQLException {
    String told = dialect == SqlDialect.POSTGRESQL ? "operator" : "the key as a String";
    for (String table : List.of("own_folding", "own_exact")) {
      try (Connection transaction = begin()) {
        use(transaction, table, "04711");
        transaction.commit();
      }
      GuardedUpsert upsert = GuardedUpsert.into(table, "id", "version", "status");
      Transitions transitions = Transitions.of(table, "id", "status").allow("B", "C").build();
      assertRefused(transaction -> upsert.apply(transaction, 4711, 9, "C"), told);
      assertRefused(transaction -> transitions.apply(transaction, 4711, "C"), told);
    }
  }

  @Test
  void a_number_is_the_key_of_a_row_whose_key_is_a_number() throws SQLException {
    try (Connection transaction = begin()) {
      use(transaction, "own_numbered", 4711);
      transaction.commit();
    }
    assertThat(count("own_numbered")).isEqualTo(1);
  }

  private interface Work {
    Object run(Connection transaction) throws SQLException;
  }

  private void assertTold(Work work, String key) throws SQLException {
    assertRefused(
        work, "column id of table own_folding", "'" + key + "'", "'order-a'", "VARBINARY", "nopad");
  }

  private void assertRefused(Work work, String... words) throws SQLException {
    try (Connection transaction = begin()) {
      assertThatThrownBy(() -> work.run(transaction))
          .isInstanceOf(SQLException.class)
          .hasMessageContainingAll(words);
      transaction.rollback();
    }
  }

  /** At REPEATABLE READ a lock of a row that is not there would be one of the gap around it. */
  @Test
  @Semantics(72)
  void transactions_that_find_no_row_are_not_in_each_others_way() throws SQLException {
    Transitions transitions = Transitions.of("own_exact", "id", "status").allow("A", "B").build();
    try (Connection first = begin();
        Connection second = begin()) {
      assertThat(transitions.apply(first, "b", "B")).isEqualTo(new Transitions.Answer.NoRow());
      assertThat(transitions.apply(second, "c", "B")).isEqualTo(new Transitions.Answer.NoRow());
      run(first, "INSERT INTO own_exact (id, version, status) VALUES ('b', 1, 'A')");
      run(second, "INSERT INTO own_exact (id, version, status) VALUES ('c', 1, 'A')");
      first.commit();
      second.commit();
    }
    assertThat(count("own_exact")).isEqualTo(2);
  }

  @Test
  @Semantics(72)
  void transactions_that_write_new_rows_are_not_in_each_others_way() throws SQLException {
    GuardedUpsert upsert = GuardedUpsert.into("own_exact", "id", "version", "status");
    try (Connection first = begin();
        Connection second = begin()) {
      upsert.apply(first, "b", 1, "A");
      upsert.apply(second, "c", 1, "A");
      upsert.apply(first, "a", 1, "A");
      upsert.apply(second, "d", 1, "A");
      ORDER.apply(first, "b", 1L, 1);
      ORDER.apply(second, "c", 1L, 2);
      ORDER.apply(first, "a", 1L, 3);
      ORDER.apply(second, "d", 1L, 4);
      first.commit();
      second.commit();
    }
    assertThat(count("own_exact")).isEqualTo(4);
    assertThat(count("own_order")).isEqualTo(4);
  }

  @Test
  @Semantics({1, 3, 71})
  @Case(25)
  void a_row_that_is_there_is_no_error_and_the_transaction_goes_on() throws SQLException {
    try (Connection transaction = begin()) {
      assertThat(ORDER.apply(transaction, "1", 500L, 1)).isEqualTo(InsertOnce.Answer.APPLIED);
      transaction.commit();
    }
    try (Connection transaction = begin()) {
      assertThat(ORDER.apply(transaction, "1", 700L, 2)).isEqualTo(InsertOnce.Answer.ALREADY_THERE);
      assertThat(ORDER.apply(transaction, "2", 900L, 2)).isEqualTo(InsertOnce.Answer.APPLIED);
      assertThat(ORDER.apply(transaction, "2", 900L, 2))
          .as("of this transaction")
          .isEqualTo(InsertOnce.Answer.ALREADY_THERE);
      transaction.commit();
    }
    assertThat(count("own_order")).isEqualTo(2);
    assertThat(count("own_order WHERE cents = 700")).isZero();
  }

  @Test
  @Semantics({3, 57})
  void a_row_whose_transaction_was_rolled_back_was_never_there() throws SQLException {
    for (int i = 0; i < 2; i++) {
      try (Connection transaction = begin()) {
        assertThat(ORDER.apply(transaction, "1", 500L, 1)).isEqualTo(InsertOnce.Answer.APPLIED);
        transaction.rollback();
      }
    }
    assertThat(count("own_order")).isZero();
  }

  @Test
  @Semantics(44)
  void another_unique_value_or_too_long_a_key_is_an_error_and_no_duplicate() throws SQLException {
    try (Connection transaction = begin()) {
      ORDER.apply(transaction, "1", 500L, 1);
      transaction.commit();
      assertThatThrownBy(() -> ORDER.apply(transaction, "2", 500L, 1))
          .isInstanceOf(SQLException.class);
      transaction.rollback();
      assertThatThrownBy(() -> ORDER.apply(transaction, "1".repeat(41), 500L, 2))
          .isInstanceOf(SQLException.class);
      transaction.rollback();
    }
    assertThat(count("own_order")).isEqualTo(1);
  }

  @Test
  @Semantics({1, 71, 72})
  @Case(23)
  void of_threads_that_insert_one_row_one_has_it_applied() throws SQLException {
    int keys = dialect == SqlDialect.POSTGRESQL ? 200 : 20; // its copies meet at either index
    List<Integer> applied =
        Race.run(
            4,
            thread -> {
              int mine = 0;
              for (int i = 0; i < keys; i++) {
                int key = (i + thread % 2) % keys;
                mine += isApplied("order-" + key, key) ? 1 : 0;
              }
              return mine;
            });
    assertThat(applied.stream().mapToInt(Integer::intValue).sum()).isEqualTo(keys);
    assertThat(count("own_order")).isEqualTo(keys);
  }

  private boolean isApplied(String key, int invoice) {
    while (true) {
      try (Connection transaction = begin()) {
        boolean isApplied = ORDER.apply(transaction, key, 1L, invoice) == InsertOnce.Answer.APPLIED;
        transaction.commit();
        return isApplied;
      } catch (SQLException e) { // PostgreSQL and H2 at REPEATABLE READ conflict: begun anew
        assertThat(e.getSQLState()).as(e.getMessage()).startsWith("40");
      }
    }
  }
}
