package dev.onlyonce.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer.Claimed;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Race;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tables that would mistake keys for one another, or are not there, are refused at the start. */
@ExtendWith(Servers.class)
class SchemaTest {

  private static final Duration DAY = Duration.ofDays(1);

  private final DataSource postgreSql;
  private final DataSource mariaDb;
  private final String postgreSqlUrl;
  private final String mariaDbUrl;
  private final DataSource h2 = Pools.of("jdbc:h2:mem:schema;DB_CLOSE_DELAY=-1", "READ_COMMITTED");

  SchemaTest(Database<PostgreSqlServer> postgreSql, Database<MariaDbServer> mariaDb) {
    this.postgreSql = Pools.of(postgreSql.url(), "READ_COMMITTED");
    this.mariaDb = Pools.of(mariaDb.url(), "READ_COMMITTED");
    this.postgreSqlUrl = postgreSql.url();
    this.mariaDbUrl = mariaDb.url();
  }

  @AfterAll
  static void close() {
    Pools.close();
  }

  private List<DataSource> all() {
    return List.of(postgreSql, mariaDb, h2);
  }

  private static void make(DataSource source, SqlDialect dialect, String prefix) {
    Pools.run(source, JdbcSchema.statements(dialect, prefix).toArray(String[]::new));
  }

  private static void assertRefused(DataSource source, String prefix, String... words) {
    assertThatThrownBy(() -> JdbcStore.on(source).tablePrefix(prefix).open())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REJECTED))
        .hasMessageContainingAll(words);
  }

  @Test
  void the_printed_script_makes_what_the_store_needs_and_may_be_run_again() {
    for (int i = 0; i < 2; i++) {
      make(postgreSql, SqlDialect.POSTGRESQL, "printed_");
      make(mariaDb, SqlDialect.MARIADB, "printed_");
      make(h2, SqlDialect.H2, "printed_");
    }
    for (DataSource source : all()) {
      JdbcStore.on(source).tablePrefix("printed_").open().close();
    }
    assertThat(JdbcStore.on(mariaDb).tablePrefix("printed_").open().dialect())
        .isEqualTo(SqlDialect.MARIADB);
    assertThat(JdbcSchema.script(SqlDialect.MYSQL))
        .isEqualTo(JdbcSchema.script(SqlDialect.MARIADB));
  }

  @Test
  void several_processes_may_make_the_tables_at_once() {
    for (DataSource source : all()) {
      Race.run(
          4,
          thread -> {
            JdbcStore.on(source).tablePrefix("at_once_").createTables().open().close();
            return thread;
          });
    }
  }

  @Test
  void a_user_who_may_only_read_and_write_opens_tables_and_is_told_what_he_may_not_make() {
    Pools.run(postgreSql, "CREATE ROLE schema_clerk LOGIN");
    assertMayOnlyOpen(postgreSql, postgreSqlUrl, "schema_clerk");
    Pools.run(postgreSql, "DROP OWNED BY schema_clerk", "DROP ROLE schema_clerk");
    Pools.run(mariaDb, "CREATE USER schema_clerk");
    assertMayOnlyOpen(mariaDb, mariaDbUrl, "schema_clerk");
    Pools.run(mariaDb, "DROP USER schema_clerk");
  }

  private static void assertMayOnlyOpen(DataSource owner, String url, String user) {
    JdbcStore.on(owner).tablePrefix("owned_").createTables().open().close();
    for (String table : List.of("claim", "event", "position", "meta")) {
      Pools.run(owner, "GRANT SELECT, INSERT, UPDATE, DELETE ON owned_" + table + " TO " + user);
    }
    String limited = url.replaceFirst("user=[^&]*", "user=" + user);
    try (HikariDataSource source = Pools.pool(limited, "READ_COMMITTED", 1)) {
      JdbcStore.on(source).tablePrefix("owned_").createTables().open().close();
      assertThatThrownBy(() -> JdbcStore.on(source).tablePrefix("others_").createTables().open())
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REJECTED))
          .hasMessageContainingAll("the user may not", "others_", "owner", "JdbcSchema", "grant");
    }
  }

  /** An index that is made waits for all who write the table, and they for it. */
  @Test
  void opening_tables_that_are_there_waits_for_nobody_who_writes_events() throws SQLException {
    DataSource impatient =
        Pools.of(postgreSqlUrl + "&options=-c%20lock_timeout=100", "READ_COMMITTED");
    JdbcStore.on(postgreSql).tablePrefix("busy_").createTables().open().close();
    try (Connection writer = postgreSql.getConnection()) {
      writer.setAutoCommit(false);
      try (Statement event = writer.createStatement()) {
        event.execute("DELETE FROM busy_event");
      }
      JdbcStore.on(impatient).tablePrefix("busy_").createTables().open().close();
      writer.rollback();
    }
  }

  @Test
  void tables_that_are_not_there_are_missed() {
    for (DataSource source : all()) {
      assertRefused(
          source,
          "missing_",
          "missing_",
          "JdbcSchema",
          "onlyonce schema --prefix missing_ prints",
          "createTables()");
      assertThatThrownBy(() -> JdbcStore.on(source).tablePrefix("missing_").open())
          .message()
          .hasLineCount(1);
    }
  }

  /** Nobody looks at the tables again while they are used: that would cost every claim. */
  @Test
  void tables_that_are_emptied_under_an_open_store_are_not_noticed_and_their_keys_are_new() {
    for (DataSource source : all()) {
      try (JdbcStore store = JdbcStore.on(source).tablePrefix("emptied_").createTables().open()) {
        Claimed before = claim(store);
        store.settle(List.of(new Settlement.Complete(before.claim(), Result.NONE, DAY)));
        Pools.run(source, "TRUNCATE TABLE emptied_claim", "TRUNCATE TABLE emptied_event");

        assertThat(claim(store).claim().token()).isGreaterThan(before.claim().token());
      }
    }
  }

  private static Claimed claim(JdbcStore store) {
    ClaimRequest request =
        ClaimRequest.of(Scope.of("emptied"), Key.of("order-1"), 1, DAY, Lapse.TAKE);
    return (Claimed) store.claim(List.of(request)).get(0);
  }

  @Test
  void a_prefix_must_be_a_plain_name() {
    for (String prefix : List.of("", "x; drop table y", "X_", "1a", "a".repeat(41))) {
      assertThatThrownBy(() -> JdbcStore.on(h2).tablePrefix(prefix))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("table prefix");
    }
  }

  @Test
  @Semantics({37, 38, 39, 42})
  @Case(1)
  void a_key_column_of_text_is_refused() {
    make(postgreSql, SqlDialect.POSTGRESQL, "text_");
    Pools.run(postgreSql, "ALTER TABLE text_claim ALTER k TYPE text USING encode(k, 'escape')");
    make(mariaDb, SqlDialect.MARIADB, "text_");
    Pools.run(mariaDb, "ALTER TABLE text_claim MODIFY k VARCHAR(255) NOT NULL");
    make(h2, SqlDialect.H2, "text_");
    Pools.run(h2, "ALTER TABLE text_claim ALTER COLUMN k VARCHAR(1024)");
    for (DataSource source : all()) {
      assertRefused(source, "text_", "column k of table text_claim", "fold", "JdbcSchema");
    }
  }

  /** Each in tables of its own: position and events mix up sources and keys as claims would. */
  @Test
  @Semantics({37, 38, 39, 42})
  @Case(1)
  void every_column_of_a_key_is_looked_at() {
    Map<String, List<String>> columns =
        Map.of(
            "claim", List.of("scope"),
            "event", List.of("scope", "k"),
            "position", List.of("consumer", "source"));
    columns.forEach(
        (table, names) -> {
          for (String column : names) {
            String prefix = "c_" + table + "_" + column + "_";
            String place = "column " + column + " of table " + prefix + table;
            String alter = "ALTER TABLE " + prefix + table;
            make(postgreSql, SqlDialect.POSTGRESQL, prefix);
            String type =
                List.of("k", "source").contains(column)
                    ? "text USING encode(" + column + ", 'escape')"
                    : "text COLLATE \"und-x-icu\"";
            Pools.run(postgreSql, alter + " ALTER " + column + " TYPE " + type);
            make(mariaDb, SqlDialect.MARIADB, prefix);
            Pools.run(mariaDb, alter + " MODIFY " + column + " VARCHAR(255) NOT NULL");
            make(h2, SqlDialect.H2, prefix);
            Pools.run(h2, alter + " ALTER COLUMN " + column + " VARCHAR_IGNORECASE(1024)");
            for (DataSource source : all()) {
              assertRefused(source, prefix, place, "JdbcSchema");
            }
          }
        });
  }

  /** Its index folds, too, and must not be told as one that is not there. */
  @Test
  @Semantics({37, 38, 39})
  @Case(1)
  void a_collation_that_folds_is_told_as_that() {
    Pools.run(
        postgreSql,
        "CREATE COLLATION folds (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
    Map<String, String> columns =
        Map.of("claim", "scope", "event", "scope", "position", "consumer");
    columns.forEach(
        (table, column) -> {
          String prefix = "folds_" + table + "_";
          make(postgreSql, SqlDialect.POSTGRESQL, prefix);
          String alter = "ALTER TABLE " + prefix + table + " ALTER " + column;
          Pools.run(postgreSql, alter + " TYPE text COLLATE folds");
          String place = "column " + column + " of table " + prefix + table;
          assertRefused(postgreSql, prefix, place + " has collation folds", "COLLATE \"C\"");
        });
    make(postgreSql, SqlDialect.POSTGRESQL, "folding_");
    Pools.run(
        postgreSql,
        "ALTER TABLE folding_claim DROP CONSTRAINT folding_claim_pkey",
        "CREATE UNIQUE INDEX ON folding_claim (scope COLLATE folds, k)");
    assertRefused(
        postgreSql,
        "folding_",
        "unique index",
        "only of scope by collation folds, k",
        "primary key");
  }

  @Test
  @Semantics(1)
  void every_table_must_have_its_primary_key() {
    for (String table : List.of("event", "position", "meta")) {
      String prefix = "p_" + table + "_";
      String alter = "ALTER TABLE " + prefix + table + " DROP ";
      make(postgreSql, SqlDialect.POSTGRESQL, prefix);
      Pools.run(postgreSql, alter + "CONSTRAINT " + prefix + table + "_pkey");
      make(mariaDb, SqlDialect.MARIADB, prefix);
      Pools.run(mariaDb, alter + "PRIMARY KEY");
      make(h2, SqlDialect.H2, prefix);
      Pools.run(h2, alter + "PRIMARY KEY");
      for (DataSource source : all()) {
        assertRefused(source, prefix, "table " + prefix + table, "unique index", "primary key");
      }
    }
  }

  @Test
  @Semantics({43, 44})
  void a_key_column_that_is_too_short_is_refused() {
    make(mariaDb, SqlDialect.MARIADB, "short_");
    Pools.run(mariaDb, "ALTER TABLE short_claim MODIFY k VARBINARY(255) NOT NULL");
    assertRefused(mariaDb, "short_", "short_claim", "255", "1,024");
    make(h2, SqlDialect.H2, "short_");
    Pools.run(h2, "ALTER TABLE short_claim ALTER COLUMN k VARBINARY(255)");
    assertRefused(h2, "short_", "short_claim", "255", "1,024");
    make(mariaDb, SqlDialect.MARIADB, "short_source_");
    Pools.run(mariaDb, "ALTER TABLE short_source_position MODIFY source VARBINARY(64) NOT NULL");
    assertRefused(mariaDb, "short_source_", "short_source_position", "64", "512");
  }

  @Test
  @Semantics(1)
  void a_table_without_its_unique_index_is_refused() {
    make(postgreSql, SqlDialect.POSTGRESQL, "bare_");
    Pools.run(postgreSql, "ALTER TABLE bare_claim DROP CONSTRAINT bare_claim_pkey");
    make(mariaDb, SqlDialect.MARIADB, "bare_");
    Pools.run(mariaDb, "ALTER TABLE bare_claim DROP PRIMARY KEY");
    make(h2, SqlDialect.H2, "bare_");
    Pools.run(h2, "ALTER TABLE bare_claim DROP PRIMARY KEY");
    for (DataSource source : all()) {
      assertRefused(source, "bare_", "bare_claim", "unique index", "primary key");
    }
  }

  @Test
  @Semantics({1, 43})
  void an_index_of_the_beginning_of_keys_does_not_count() {
    make(mariaDb, SqlDialect.MARIADB, "begin_");
    Pools.run(
        mariaDb,
        "ALTER TABLE begin_claim DROP PRIMARY KEY, ADD UNIQUE INDEX beginning (scope, k(100))");
    assertRefused(mariaDb, "begin_", "begin_claim", "unique index", "only of scope, k(100)");
  }

  @Test
  @Semantics(1)
  void an_index_that_only_brings_a_column_along_is_not_the_key() {
    make(postgreSql, SqlDialect.POSTGRESQL, "along_");
    Pools.run(
        postgreSql,
        "ALTER TABLE along_claim DROP CONSTRAINT along_claim_pkey",
        "CREATE UNIQUE INDEX along_scope ON along_claim (scope) INCLUDE (k)");
    assertRefused(postgreSql, "along_", "along_claim", "unique index", "scope, k");
  }

  @Test
  void an_engine_without_transactions_is_refused() {
    make(mariaDb, SqlDialect.MARIADB, "isam_");
    Pools.run(
        mariaDb,
        "ALTER TABLE isam_claim DROP PRIMARY KEY, MODIFY k VARBINARY(1024) NOT NULL,"
            + " ADD PRIMARY KEY (scope, k), ENGINE = Aria");
    assertRefused(mariaDb, "isam_", "isam_claim", "InnoDB");
    for (String table : List.of("event", "position", "meta")) {
      String prefix = "isam_" + table + "_";
      make(mariaDb, SqlDialect.MARIADB, prefix);
      Pools.run(mariaDb, "ALTER TABLE " + prefix + table + " ENGINE = Aria");
      assertRefused(mariaDb, prefix, "table " + prefix + table, "InnoDB");
    }
  }

  @Test
  @Semantics(44)
  void connections_that_take_what_is_empty_for_null_are_refused() {
    DataSource emptyIsNull =
        Pools.of(
            mariaDbUrl + "&sessionVariables=sql_mode='EMPTY_STRING_IS_NULL'", "READ_COMMITTED");
    make(mariaDb, SqlDialect.MARIADB, "empty_");
    assertRefused(emptyIsNull, "empty_", "EMPTY_STRING_IS_NULL", "settings");
  }

  @Test
  @Semantics(81)
  void a_newer_schema_is_refused() {
    for (DataSource source : all()) {
      JdbcStore.on(source).tablePrefix("newer_").createTables().open().close();
      Pools.run(source, "UPDATE newer_meta SET version = 3");
      assertRefused(source, "newer_", "newer_meta", "version 3", "newer version of the library");
    }
  }

  @Test
  @Semantics(81)
  void an_older_schema_is_refused_until_it_was_upgraded() {
    Map<String, DataSource> scripts = Map.of("postgresql", postgreSql, "mysql", mariaDb, "h2", h2);
    scripts.forEach(
        (name, source) -> {
          for (String prefix : List.of("older_", "printed_older_")) {
            Pools.run(source, statementsOfVersion1(name, prefix));
            assertRefused(source, prefix, prefix + "meta", "version 1", "JdbcSchema.upgrade");
          }
          JdbcStore.on(source).tablePrefix("older_").createTables().open().close();
          SqlDialect dialect = JdbcStore.on(source).tablePrefix("older_").open().dialect();
          String upgrade = JdbcSchema.upgrade(dialect, "printed_older_");
          Pools.run(source, upgrade.split(";\\R"));
          JdbcStore.on(source).tablePrefix("printed_older_").open().close();
        });
  }

  /** DDL of MariaDB and MySQL commits by itself, so that a script can end anywhere. */
  @Test
  @Semantics(81)
  void an_upgrade_that_was_killed_midway_is_finished_by_the_next_one() {
    Map<SqlDialect, DataSource> sources =
        Map.of(SqlDialect.POSTGRESQL, postgreSql, SqlDialect.MARIADB, mariaDb, SqlDialect.H2, h2);
    sources.forEach(
        (dialect, source) -> {
          String name = dialect == SqlDialect.MARIADB ? "mysql" : dialect.name().toLowerCase(ROOT);
          int steps = JdbcSchema.upgrade(dialect, "x_").split(";\\R").length;
          for (int done = 1; done < steps; done++) {
            for (boolean isPrinted : new boolean[] {false, true}) {
              String prefix = "killed_" + done + (isPrinted ? "_printed_" : "_");
              String[] upgrade = JdbcSchema.upgrade(dialect, prefix).split(";\\R");
              Pools.run(source, statementsOfVersion1(name, prefix));
              Pools.run(source, Arrays.copyOf(upgrade, done));
              if (isPrinted) {
                Pools.run(source, upgrade);
                Pools.run(source, upgrade);
              } else {
                JdbcStore.on(source).tablePrefix(prefix).createTables().open().close();
              }
              JdbcStore.on(source).tablePrefix(prefix).open().close();
            }
          }
        });
  }

  /** The script of an older version of the library. */
  private static String[] statementsOfVersion1(String name, String prefix) {
    try (InputStream script = SchemaTest.class.getResourceAsStream(name + "-1.sql")) {
      return new String(Objects.requireNonNull(script).readAllBytes(), UTF_8)
          .replaceAll("\\{(\\w+)}", prefix + "$1")
          .strip()
          .split(";\\R");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
