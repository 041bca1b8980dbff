package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
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
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One item that cannot be served now, or ever, beside others that can. */
@ExtendWith(Servers.class)
class PoisonTest {

  private static final Scope SCOPE = Scope.of("poison");
  private static final Duration LONG = Duration.ofHours(1);

  private static Claim claim(JdbcStore store, String key) {
    ClaimRequest request = ClaimRequest.of(SCOPE, Key.of(key), key.hashCode(), LONG, Lapse.TAKE);
    return ((Answer.Claimed) store.claim(List.of(request)).get(0)).claim();
  }

  private static Settlement completion(Claim claim, Result result) {
    return new Settlement.Complete(claim, result, LONG);
  }

  private static Result zeros(int bytes) {
    return new Result.Value("application/octet-stream", new byte[bytes]);
  }

  @Test
  void results_that_are_too_large_together_are_settled_and_one_that_is_so_alone_is_refused() {
    try (MariaDbServer server = MariaDbServer.start(Map.of("max-allowed-packet", "1M"));
        HikariDataSource pool = Pools.pool(server.newDatabase().url(), "READ_COMMITTED", 2);
        JdbcStore store = JdbcStore.on(pool).createTables().open()) {
      assertThat(store.maxResultBytes()).isBetween(480_000, 520_000);
      List<Settlement> medium = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        medium.add(completion(claim(store, "medium-" + i), zeros(400_000)));
      }
      assertThat(store.settle(medium)).isEqualTo(Collections.nCopies(5, Held.HELD));
      Claim largest = claim(store, "largest");
      assertThat(store.settle(List.of(completion(largest, zeros(store.maxResultBytes())))))
          .containsExactly(Held.HELD);
      Claim tooLarge = claim(store, "too-large");
      assertThatThrownBy(() -> store.settle(List.of(completion(tooLarge, zeros(600_000)))))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("max_allowed_packet")
          .extracting(it -> ((StoreException) it).kind())
          .isEqualTo(StoreException.Kind.REJECTED);
      assertThat(store.settle(List.of(completion(tooLarge, Result.NOT_KEPT))))
          .containsExactly(Held.HELD);
    }
  }

  @Test
  void on_postgresql_a_locked_record_keeps_no_other_from_being_settled(
      Database<PostgreSqlServer> database) throws SQLException {
    assertThatOthersAreSettled(database.url());
  }

  @Test
  void on_mariadb_a_locked_record_keeps_no_other_from_being_settled(
      Database<MariaDbServer> database) throws SQLException {
    assertThatOthersAreSettled(database.url());
  }

  private static void assertThatOthersAreSettled(String url) throws SQLException {
    try (HikariDataSource pool = Pools.pool(url, "READ_COMMITTED", 3);
        JdbcStore store = JdbcStore.on(pool).createTables().lockWait(Duration.ofSeconds(1)).open();
        Connection other = pool.getConnection()) {
      Claim locked = claim(store, "locked");
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.executeQuery("SELECT * FROM onlyonce_claim FOR UPDATE").close();
      }
      List<Settlement> batch =
          List.of(
              completion(claim(store, "first"), Result.NONE),
              completion(locked, Result.NONE),
              completion(claim(store, "last"), Result.NONE));
      assertThat(store.settleFree(batch)).containsExactly(Held.HELD, Held.UNKNOWN, Held.HELD);
      other.rollback();
      assertThat(store.settleFree(batch)).containsExactly(Held.ALREADY, Held.HELD, Held.ALREADY);
    }
  }
}
