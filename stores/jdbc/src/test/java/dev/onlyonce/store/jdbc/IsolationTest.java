package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The whole contract on pools that hand out connections of higher isolation, at one of them with
 * events.
 */
@ExtendWith(Servers.class)
class IsolationTest {

  @Nested
  class PostgreSqlRepeatableRead extends JdbcContract {
    PostgreSqlRepeatableRead(Database<PostgreSqlServer> database) {
      super(Pools.of(Pools.quick(database.url()), "REPEATABLE_READ"), SqlDialect.POSTGRESQL);
    }

    @Override
    Duration history() {
      return Duration.ofHours(1);
    }
  }

  @Nested
  class PostgreSqlSerializable extends JdbcContract {
    PostgreSqlSerializable(Database<PostgreSqlServer> database) {
      super(Pools.of(Pools.quick(database.url()), "SERIALIZABLE"), SqlDialect.POSTGRESQL);
    }
  }

  @Nested
  class MariaDbRepeatableRead extends JdbcContract {
    MariaDbRepeatableRead() {
      super(mariaDb(MariaDbRepeatableRead.class, "", "REPEATABLE_READ"), SqlDialect.MARIADB);
    }

    @Override
    Duration history() {
      return Duration.ofHours(1);
    }
  }

  @Nested
  class MariaDbSerializable extends JdbcContract {
    MariaDbSerializable() {
      super(mariaDb(MariaDbSerializable.class, "", "SERIALIZABLE"), SqlDialect.MARIADB);
    }
  }

  @Nested
  class H2RepeatableRead extends JdbcContract {
    H2RepeatableRead() {
      super(h2("repeatable-read", "REPEATABLE_READ"), SqlDialect.H2);
    }

    @Override
    Duration history() {
      return Duration.ofHours(1);
    }
  }

  @Nested
  class H2Serializable extends JdbcContract {
    H2Serializable() {
      super(h2("serializable", "SERIALIZABLE"), SqlDialect.H2);
    }
  }

  // Assignments that do not see one another: MySql says why that matters.
  @Nested
  class MariaDbWithSimultaneousAssignment extends JdbcContract {
    MariaDbWithSimultaneousAssignment() {
      super(
          mariaDb(
              MariaDbWithSimultaneousAssignment.class,
              "&sessionVariables=sql_mode='SIMULTANEOUS_ASSIGNMENT'",
              "READ_COMMITTED"),
          SqlDialect.MARIADB);
    }
  }

  private static DataSource h2(String name, String isolation) {
    return Pools.of("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", isolation);
  }

  private static DataSource mariaDb(Class<?> test, String setting, String isolation) {
    return Pools.of(QuickMariaDb.url(test) + setting, isolation);
  }
}
