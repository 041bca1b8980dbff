package dev.onlyonce.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.services.Server;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.jdbc.Inbox.Message;
import dev.onlyonce.store.jdbc.Inbox.Verdict;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.Race;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.TcpFaultProxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A server that is killed, connections that break, pools that are small. */
abstract class FaultRules {

  private static final Scope SCOPE = Scope.of("faults");
  private static final Duration LONG = Duration.ofHours(1);

  private final Server server;
  private final String url;

  FaultRules(Server server, String url) {
    this.server = server;
    this.url = url;
  }

  private static JdbcStore open(HikariDataSource pool) {
    JdbcStore store = JdbcStore.on(pool).createTables().open();
    Pools.run(pool, "DELETE FROM onlyonce_claim");
    return store;
  }

  private static ClaimRequest request(String key) {
    return ClaimRequest.of(
        SCOPE, Key.of(key), ThreadLocalRandom.current().nextLong(), LONG, Lapse.TAKE);
  }

  /** Asks until there is an answer. */
  private static <A> A insisting(Supplier<A> question) {
    while (true) {
      try {
        return question.get();
      } catch (StoreException e) {
        assertThat(e.kind()).as(e.getMessage()).isEqualTo(StoreException.Kind.UNAVAILABLE);
      }
    }
  }

  private static Settlement completion(Claim claim) {
    return new Settlement.Complete(claim, Result.NONE, LONG);
  }

  /** Claims and completes a key; tells whether it was this caller. */
  private static boolean handle(ClaimStore store, String key) {
    ClaimRequest request = request(key);
    if (insisting(() -> store.claim(List.of(request))).get(0) instanceof Answer.Claimed claimed) {
      Held held = insisting(() -> store.settle(List.of(completion(claimed.claim())))).get(0);
      assertThat(held).as("settlement of " + key).isNotEqualTo(Held.LOST);
      return true;
    }
    return false;
  }

  private static void assertAllDone(JdbcStore store, int keys) {
    for (int i = 0; i < keys; i++) {
      ClaimRecord record = store.find(SCOPE, Key.of("key-" + i)).orElseThrow();
      assertThat(record.state()).as("key-" + i).isEqualTo(ClaimState.DONE);
      assertThat(record.attempt()).as("key-" + i).isEqualTo(1);
    }
  }

  @Test
  @Semantics({1, 18, 69, 98})
  void a_server_that_is_killed_and_comes_back_has_all_that_was_answered_and_nothing_twice() {
    int keys = 400;
    AtomicInteger handled = new AtomicInteger();
    try (HikariDataSource pool = Pools.pool(url, "READ_COMMITTED", 4);
        JdbcStore store = open(pool)) {
      Race.run(
          5,
          thread -> {
            if (thread == 4) {
              for (int kill = 1; kill <= 2; kill++) {
                while (handled.get() < kill * 120) {
                  Thread.onSpinWait();
                }
                server.kill();
                server.restart();
              }
            } else {
              for (int i = 0; i < keys; i++) {
                int key = (i + thread * keys / 4) % keys;
                handled.addAndGet(handle(store, "key-" + key) ? 1 : 0);
              }
            }
            return thread;
          });
      assertThat(handled).hasValue(keys);
      assertAllDone(store, keys);
    }
  }

  @Test
  @Semantics({16, 18, 70, 98})
  void a_connection_that_breaks_costs_no_claim_and_grants_none_twice() throws SQLException {
    int keys = 60;
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort());
        HikariDataSource direct = Pools.pool(url, "READ_COMMITTED", 1);
        JdbcStore clean = open(direct);
        HikariDataSource pool = Pools.pool(through(proxy), "READ_COMMITTED", 2);
        JdbcStore store = JdbcStore.open(pool)) {
      for (int i = 0; i < keys; i++) {
        try (Connection warm = pool.getConnection()) {
          assertThat(warm.isValid(5)).isTrue();
        }
        TcpFaultProxy.Direction direction = i % 2 == 0 ? proxy.answers() : proxy.requests();
        direction.cutOnceAfter(i / 2 * 5L, TcpFaultProxy.Ending.RST);
        assertThat(handle(store, "key-" + i)).as("key-" + i).isTrue();
      }
      assertThat(proxy.connections().cut()).as("connections cut").isGreaterThan(keys / 2);
      assertAllDone(clean, keys);
    }
  }

  /** The connection is cut where the commit would go, or where its answer would come. */
  @Test
  @Semantics({9, 18, 70})
  @Case(45)
  void a_commit_that_is_lost_is_made_anew_and_one_whose_answer_is_lost_is_found_again()
      throws SQLException {
    try (TcpFaultProxy proxy = TcpFaultProxy.toLocal(server.address().getPort());
        HikariDataSource direct = Pools.pool(url, "READ_COMMITTED", 1);
        JdbcStore clean = open(direct);
        HikariDataSource pool = Pools.pool(through(proxy), "READ_COMMITTED", 2);
        JdbcStore store = JdbcStore.open(pool)) {
      Pools.run(
          direct,
          "CREATE TABLE IF NOT EXISTS effect (k VARCHAR(100) NOT NULL, n INT NOT NULL)",
          "DELETE FROM effect",
          "DELETE FROM onlyonce_position");
      for (int size : new int[] {1, 3}) {
        for (boolean isAnswerLost : new boolean[] {false, true}) {
          String name = (isAnswerLost ? "answer-" : "commit-") + size;
          AtomicInteger commits = new AtomicInteger();
          TcpFaultProxy.Direction direction = isAnswerLost ? proxy.answers() : proxy.requests();
          DataSource cutting =
              Watched.source(
                  pool,
                  "commit",
                  () -> {
                    if (commits.getAndIncrement() == 0) {
                      direction.cutOnceAfter(0, TcpFaultProxy.Ending.RST);
                    }
                  });
          long cut = proxy.connections().cut();
          // The server may take a moment to see that the first session is gone, and keeps its
          // locks.
          Inbox inbox = Inbox.of(store, cutting, SCOPE).waiting(Duration.ofSeconds(20));
          AtomicInteger effects = new AtomicInteger();
          List<Verdict> verdicts =
              inbox.handleAll(messages(name, size, effects), Map.of(name, new Position(1, size)));
          assertThat(proxy.connections().cut() - cut).as("cuts of " + name).isEqualTo(1);
          assertThat(verdicts).as(name).hasSize(size).allMatch(Verdict.Applied.class::isInstance);
          assertThat(effects)
              .as("effects begun of " + name)
              .hasValue(isAnswerLost ? size : 2 * size);
          assertThat(effectsOf(direct, name)).as("effects of " + name).isEqualTo(size);
          assertThat(positions(clean, direct)).containsEntry(name, new Position(1, size));
          assertThat(inbox.handleAll(messages(name, size, effects)))
              .as("copies of " + name)
              .allMatch(it -> it.equals(new Verdict.Duplicate(RECEIPT)));
        }
      }
    }
  }

  private static final Result RECEIPT = new Result.Value("text/plain", new byte[] {'r'});

  private static List<Message> messages(String name, int size, AtomicInteger effects) {
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      messages.add(
          Message.of(
              Key.of(name, "" + i),
              transaction -> {
                effects.incrementAndGet();
                try (PreparedStatement insert =
                    transaction.prepareStatement("INSERT INTO effect (k, n) VALUES (?, 1)")) {
                  insert.setString(1, name);
                  insert.executeUpdate();
                }
                return RECEIPT;
              }));
    }
    return messages;
  }

  private static long effectsOf(DataSource source, String name) {
    return Pools.number(source, "SELECT count(*) FROM effect WHERE k = '" + name + "'");
  }

  private static Map<String, Position> positions(JdbcStore store, DataSource source)
      throws SQLException {
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(false);
      Map<String, Position> positions = store.load(connection, SCOPE);
      connection.rollback();
      connection.setAutoCommit(true);
      return positions;
    }
  }

  private String through(TcpFaultProxy proxy) {
    return url.replace(":" + server.address().getPort(), ":" + proxy.port());
  }

  /** A transaction that called {@code holds} and went on: all claims of a batch waited for it. */
  @Test
  @Case(15)
  @Semantics({12, 94})
  void a_record_that_is_locked_costs_no_other_claim_of_its_batch_the_renewal() throws SQLException {
    try (HikariDataSource pool = Pools.pool(url, "READ_COMMITTED", 2);
        JdbcStore store =
            JdbcStore.on(pool).createTables().lockWait(Duration.ofSeconds(1)).open()) {
      Pools.run(pool, "DELETE FROM onlyonce_claim");
      List<Claim> claims = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Answer answer = store.claim(List.of(request("locked-" + i))).get(0);
        claims.add(((Answer.Claimed) answer).claim());
      }
      Claim locked = claims.get(1);
      Duration longer = LONG.multipliedBy(2);
      List<Renewal> renewals =
          claims.stream().map(it -> new Renewal(it, longer, new byte[] {1})).toList();
      try (Connection transaction = pool.getConnection()) {
        transaction.setAutoCommit(false);
        assertThat(store.holds(transaction, locked)).isTrue();
        assertThat(store.renew(renewals))
            .containsExactly(Held.HELD, Held.UNKNOWN, Held.HELD, Held.HELD);
        for (Claim each : claims) {
          ClaimRecord record = store.find(SCOPE, each.key()).orElseThrow();
          assertThat(record.checkpoint() != null)
              .as("" + each.key())
              .isEqualTo(!each.equals(locked));
        }
        assertThatThrownBy(() -> store.renew(List.of(renewals.get(1), renewals.get(1))))
            .as("where nothing else is to be done, it is waited for")
            .hasMessageContaining("locked for longer than is waited for")
            .isInstanceOfSatisfying(
                StoreException.class,
                e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE));
        transaction.rollback();
        transaction.setAutoCommit(true);
      }
      assertThat(store.renew(renewals)).containsOnly(Held.HELD);
    }
  }

  @Test
  @Semantics(94)
  void a_pool_of_one_is_enough_for_everything() throws SQLException {
    try (HikariDataSource pool = Pools.pool(url, "SERIALIZABLE", 1);
        JdbcStore store = open(pool)) {
      assertThat(handle(store, "key-0")).isTrue();
      assertThat(store.totals()).containsEntry(ClaimState.DONE, 1L);
      assertThat(store.purge(10)).isZero();
      Inbox inbox = Inbox.of(store, pool, SCOPE);
      Message message = Message.of(Key.of("in"), transaction -> Result.NONE);
      assertThat(inbox.handle(message)).isInstanceOf(Verdict.Applied.class);
      assertThat(inbox.handle(message)).isInstanceOf(Verdict.Duplicate.class);
      try (Connection connection = pool.getConnection()) {
        assertThat(connection.getTransactionIsolation())
            .as("what the pool had set is there again")
            .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        assertThat(connection.getAutoCommit()).isTrue();
        long start = System.nanoTime();
        assertThatThrownBy(() -> store.claim(List.of(request("key-1"))))
            .isInstanceOfSatisfying(
                StoreException.class,
                e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE));
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .as("an exhausted pool is a bounded wait")
            .isLessThan(Duration.ofSeconds(20));
      }
    }
  }

  @Test
  @Semantics(94)
  void a_pool_that_does_not_commit_by_itself_is_as_good() throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(url);
      pool.setAutoCommit(false);
      pool.setMaximumPoolSize(1);
      try (JdbcStore store = JdbcStore.on(pool).createTables().open()) {
        for (int i = 0; i < 10; i++) {
          store.claim(List.of(request("auto-commit-" + i)));
        }
        try (Connection connection = pool.getConnection()) {
          assertThat(connection.getAutoCommit()).isFalse();
        }
        assertThat(store.find(SCOPE, Key.of("auto-commit-9"))).isPresent();
      }
    }
  }

  @Test
  @Semantics({1, 94})
  @Case(23)
  void many_callers_on_a_pool_of_two_all_get_their_answers() {
    int callers = 256;
    int keys = 128;
    try (HikariDataSource pool = Pools.pool(url, "REPEATABLE_READ", 2);
        JdbcStore store = open(pool)) {
      for (ClaimStore way : List.of(store, CombiningStore.over(store))) {
        Pools.run(pool, "DELETE FROM onlyonce_claim");
        List<Boolean> handled = Race.run(callers, caller -> handle(way, "key-" + caller % keys));
        assertThat(handled).filteredOn(it -> it).hasSize(keys);
        assertAllDone(store, keys);
      }
    }
  }
}
