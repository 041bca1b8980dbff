package dev.onlyonce.app.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.Case;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Servers.class)
class DatabaseAccessTest {

  private static Duration silence(String url) throws SQLException {
    DatabaseAccess access =
        new DatabaseAccess(url, new Credentials(null, null), DatabaseAccess.PREFIX);
    try (HikariDataSource pool = access.connect();
        Connection connection = pool.getConnection()) {
      return Duration.ofMillis(connection.getNetworkTimeout());
    }
  }

  @Test
  @Case(15)
  void a_connection_that_is_silent_is_given_up_after_five_minutes_or_as_the_url_says(
      Database<PostgreSqlServer> postgreSql, Database<MariaDbServer> mariaDb) throws SQLException {
    assertThat(silence(postgreSql.url())).isEqualTo(Duration.ofMinutes(5));
    assertThat(silence(mariaDb.url())).isEqualTo(Duration.ofMinutes(5));
    assertThat(silence(postgreSql.url() + "&socketTimeout=7")).isEqualTo(Duration.ofSeconds(7));
    assertThat(silence(mariaDb.url() + "&socketTimeout=7000")).isEqualTo(Duration.ofSeconds(7));
  }
}
