package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Case;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link OwnKeysRules} on each database. */
@ExtendWith(Servers.class)
class OwnKeysTest {

  @Nested
  class PostgreSql extends OwnKeysRules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }

    /** Its index takes a and A for one, and a parameter of text is compared exactly. */
    @Test
    @Case(1)
    void a_row_that_is_in_the_way_and_is_not_found_is_told() throws SQLException {
      Pools.run(
          source,
          "CREATE EXTENSION IF NOT EXISTS citext",
          "DROP TABLE IF EXISTS own_citext",
          "CREATE TABLE own_citext (id citext PRIMARY KEY, version BIGINT NOT NULL, n INT)");
      InsertOnce once = InsertOnce.into("own_citext", "id", "version");
      GuardedUpsert guarded = GuardedUpsert.into("own_citext", "id", "version", "n");
      try (Connection transaction = begin()) {
        assertThat(once.apply(transaction, "a", 1L)).isEqualTo(InsertOnce.Answer.APPLIED);
        assertThatThrownBy(() -> once.apply(transaction, "A", 1L))
            .isInstanceOf(SQLException.class)
            .hasMessageContainingAll("'A'", "column id of table own_citext", "citext");
        assertThatThrownBy(() -> guarded.apply(transaction, "A", 2, 7))
            .isInstanceOf(SQLException.class)
            .hasMessageContainingAll("'A'", "column id of table own_citext", "citext");
        transaction.rollback();
      }
    }
  }

  @Nested
  class MariaDb extends OwnKeysRules {
    MariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDbRepeatableRead extends OwnKeysRules {
    MariaDbRepeatableRead(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "REPEATABLE_READ"));
    }
  }

  @Nested
  class MariaDbByMySqlsDriver extends OwnKeysRules {
    MariaDbByMySqlsDriver(Database<MariaDbServer> database) {
      super(Pools.of(Pools.connectorJ(database.url()), "REPEATABLE_READ"));
    }
  }

  @Nested
  class H2 extends OwnKeysRules {
    H2() {
      super(Pools.of("jdbc:h2:mem:keys;DB_CLOSE_DELAY=-1", "READ_COMMITTED"));
    }
  }
}
