package dev.onlyonce.store.jdbc;

import dev.onlyonce.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Semantics;
import java.sql.SQLException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link InboxEffectRules} on each database. */
@ExtendWith(Servers.class)
class InboxEffectTest {

  @Nested
  class PostgreSql extends InboxEffectRules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }

    /** The commit has an answer, which is no: so its key is done by the effect's own commit. */
    @Test
    @Semantics({9, 57})
    @Case(45)
    void an_effect_that_commits_by_a_statement_and_whose_rest_is_refused_is_in_doubt() {
      Pools.run(
          source, "CREATE TABLE IF NOT EXISTS late (n INT UNIQUE DEFERRABLE INITIALLY DEFERRED)");
      assertInDoubt(
          transaction -> {
            run(transaction, "COMMIT");
            run(transaction, "INSERT INTO late (n) VALUES (1), (1)");
            return Result.NONE;
          });
    }

    @Test
    @Semantics({71, 83})
    void an_effect_that_waits_too_long_for_a_lock_is_tried_once_more_and_then_fails_alone()
        throws SQLException {
      assertIsTriedOnceMoreWhenLocked();
    }
  }

  @Nested
  class MariaDb extends InboxEffectRules {
    MariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }

    @Test
    @Semantics({71, 83})
    void an_effect_that_waits_too_long_for_a_lock_is_tried_once_more_and_then_fails_alone()
        throws SQLException {
      assertIsTriedOnceMoreWhenLocked();
    }
  }

  @Nested
  class MariaDbByMySqlsDriver extends InboxEffectRules {
    MariaDbByMySqlsDriver(Database<MariaDbServer> database) {
      super(Pools.of(Pools.connectorJ(database.url()), "REPEATABLE_READ"));
    }

    @Test
    @Semantics({71, 83})
    void an_effect_that_waits_too_long_for_a_lock_is_tried_once_more_and_then_fails_alone()
        throws SQLException {
      assertIsTriedOnceMoreWhenLocked();
    }
  }

  @Nested
  class H2 extends InboxEffectRules {
    H2() {
      super(Pools.of("jdbc:h2:mem:effects;DB_CLOSE_DELAY=-1", "READ_COMMITTED"));
    }
  }
}
