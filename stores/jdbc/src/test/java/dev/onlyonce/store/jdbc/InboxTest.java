package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Semantics;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The transactional inbox on each database, at each isolation. */
@ExtendWith(Servers.class)
class InboxTest {

  @Nested
  class PostgreSqlReadCommitted extends InboxRules {
    PostgreSqlReadCommitted(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"), SqlDialect.POSTGRESQL);
    }

    /** Its statements are then in a transaction with the events. */
    @Test
    @Semantics({70, 94})
    void so_is_it_where_histories_are_kept() throws SQLException {
      assertThatWaitsAreBounded(
          JdbcStore.on(source)
              .tablePrefix("with_history_")
              .createTables()
              .keepHistory(Duration.ofHours(1))
              .lockWait(Duration.ofMillis(100))
              .open());
    }

    /** New keys are claimed by a statement of their own, before the others are looked at. */
    @Test
    @Semantics({70, 94})
    void what_was_claimed_beside_a_record_that_stays_locked_is_answered() throws SQLException {
      assertThatNewKeysAreAnsweredBesideALockedOne(
          JdbcStore.on(source).lockWait(Duration.ofMillis(100)).open());
    }
  }

  @Nested
  class PostgreSqlRepeatableRead extends InboxRules {
    PostgreSqlRepeatableRead(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "REPEATABLE_READ"), SqlDialect.POSTGRESQL);
    }
  }

  @Nested
  class PostgreSqlSerializable extends InboxRules {
    PostgreSqlSerializable(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "SERIALIZABLE"), SqlDialect.POSTGRESQL);
    }

    /** What the server does by itself some time: then it reads the small table whole. */
    @BeforeEach
    void analyze() {
      Pools.run(source, "ANALYZE onlyonce_claim");
    }
  }

  @Nested
  class MariaDbReadCommitted extends InboxRules {
    MariaDbReadCommitted(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"), SqlDialect.MARIADB);
    }
  }

  @Nested
  class MariaDbRepeatableRead extends InboxRules {
    MariaDbRepeatableRead(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "REPEATABLE_READ"), SqlDialect.MARIADB);
    }
  }

  @Nested
  class MariaDbSerializable extends InboxRules {
    MariaDbSerializable(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "SERIALIZABLE"), SqlDialect.MARIADB);
    }
  }

  @Nested
  class MySqlStatementsRepeatableRead extends InboxRules {
    MySqlStatementsRepeatableRead(Database<MariaDbServer> database) {
      super(Pools.of(Pools.connectorJ(database.url()), "REPEATABLE_READ"), SqlDialect.MYSQL);
    }
  }

  @Nested
  class H2 extends InboxRules {
    H2() {
      super(Pools.of("jdbc:h2:mem:inbox;DB_CLOSE_DELAY=-1", "READ_COMMITTED"), SqlDialect.H2);
    }
  }

  @Nested
  class H2Serializable extends InboxRules {
    H2Serializable() {
      super(Pools.of("jdbc:h2:mem:inbox-serial;DB_CLOSE_DELAY=-1", "SERIALIZABLE"), SqlDialect.H2);
    }
  }
}
