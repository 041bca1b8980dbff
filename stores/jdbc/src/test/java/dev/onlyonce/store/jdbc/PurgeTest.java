package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is left alone when expired records are purged. */
@ExtendWith(Servers.class)
class PurgeTest {

  @Nested
  class PostgreSql extends Rules {
    PostgreSql(Database<PostgreSqlServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  @Nested
  class MariaDb extends Rules {
    MariaDb(Database<MariaDbServer> database) {
      super(Pools.of(database.url(), "READ_COMMITTED"));
    }
  }

  /** The rules. */
  abstract static class Rules {

    private static final Scope SCOPE = Scope.of("purge");
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final long HOUR_MICROS = 3_600_000_000L;

    private final DataSource source;
    private final JdbcStore store;

    Rules(DataSource source) {
      this.source = source;
      this.store = JdbcStore.on(source).createTables().purgeGrace(Duration.ZERO).open();
    }

    @AfterAll
    static void close() {
      Pools.close();
    }

    private Claim settled(String key) {
      long id = ThreadLocalRandom.current().nextLong();
      ClaimRequest request =
          ClaimRequest.of(SCOPE, Key.of(key), id, Duration.ofHours(1), Lapse.TAKE)
              .settlingNow(Result.NONE, SHORT);
      return ((Answer.Claimed) store.claim(List.of(request)).get(0)).claim();
    }

    private int purge() {
      Await.until(
          "all to expire",
          Duration.ofMinutes(1),
          () ->
              store.find(SCOPE, Key.of("ahead")).isEmpty()
                  && store.find(SCOPE, Key.of("b")).isEmpty());
      return store.purge(10);
    }

    /**
     * The clock was set back, or a standby with an earlier one took over. A claim that has read the
     * floor and waits for such a row would give its token again if it were gone then.
     */
    @Test
    @Semantics({28, 96})
    void a_record_whose_token_is_ahead_of_the_clock_is_not_purged_before_the_clock_is_past_it() {
      long token = settled("ahead").token() + HOUR_MICROS;
      long ordinary = settled("b").token();
      Pools.run(source, "UPDATE onlyonce_claim SET token = " + token + " WHERE k = 'ahead'");

      assertThat(purge()).as("of two that have expired").isEqualTo(1);
      assertThat(Pools.number(source, "SELECT token FROM onlyonce_claim"))
          .as("what is left")
          .isEqualTo(token);
      assertThat(Pools.number(source, "SELECT token_floor FROM onlyonce_meta")).isEqualTo(ordinary);

      Claim next = settled("ahead");
      assertThat(next.token()).as("after what was left").isGreaterThan(token);

      Pools.run(source, "UPDATE onlyonce_claim SET token = token - " + 2 * HOUR_MICROS);
      assertThat(purge()).as("when the clock is past it").isEqualTo(1);
      assertThat(Pools.number(source, "SELECT token_floor FROM onlyonce_meta"))
          .as("never lowered")
          .isEqualTo(ordinary);
      assertThat(settled("ahead").token()).isGreaterThan(ordinary);
    }
  }
}
