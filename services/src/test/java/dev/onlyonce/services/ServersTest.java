package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.onlyonce.services.DatabaseSource.Lease;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineTestKit;

class ServersTest {
  private static final List<Object> SEEN = new ArrayList<>();

  @Test
  void a_class_has_databases_of_its_own_in_servers_of_the_run() {
    List<Object> seen = run(First.class, Second.class);

    assertThat(seen).hasSize(6).doesNotHaveDuplicates();
    List<Database<?>> databases = seen.stream().<Database<?>>map(it -> (Database<?>) it).toList();
    assertThat(databases.stream().filter(it -> !it.url().startsWith("redis:")))
        .extracting(Database::address)
        .as("one PostgreSQL and one MariaDB")
        .hasSize(4);
    assertThat(
            databases.stream()
                .filter(it -> !it.url().startsWith("redis:"))
                .map(Database::address)
                .distinct())
        .hasSize(2);
  }

  @Test
  void nested_classes_and_setups_see_the_same_as_their_class() {
    assertThat(run(Outer.class).stream().distinct()).hasSize(1);
  }

  @Test
  void a_class_has_a_server_of_its_own_which_is_closed_afterwards() {
    List<Object> seen = run(Kills.class, KillsToo.class);

    assertThat(seen).hasSize(2).doesNotHaveDuplicates();
    assertThat(seen).noneMatch(it -> ((RedisServer) it).isRunning());
  }

  @Test
  void classes_share_a_server_and_it_is_closed_after_all_of_them() {
    List<Object> seen = run(Shares.class, SharesToo.class);

    assertThat(seen).hasSize(2);
    assertThat(seen.stream().distinct()).hasSize(1);
    assertThat(seen).noneMatch(it -> ((RedisServer) it).isRunning());
  }

  private static List<Object> run(Class<?>... classes) {
    SEEN.clear();
    List<Class<?>> all = List.of(classes);
    EngineTestKit.engine("junit-jupiter")
        .selectors(all.stream().map(it -> selectClass(it)).toList())
        .execute()
        .allEvents()
        .assertStatistics(it -> it.failed(0));
    return List.copyOf(SEEN);
  }

  @ParameterizedTest
  @ValueSource(classes = {PostgreSqlServer.class, MariaDbServer.class})
  void a_named_server_gets_databases_that_are_dropped_afterwards(Class<?> kind)
      throws SQLException {
    boolean postgreSql = kind == PostgreSqlServer.class;
    try (Server given = postgreSql ? PostgreSqlServer.start() : MariaDbServer.start()) {
      String variable = postgreSql ? DatabaseSource.POSTGRESQL : DatabaseSource.MARIADB;
      String all = postgreSql ? "SELECT datname FROM pg_database" : "SHOW DATABASES";
      List<String> before = Jdbc.column(given.url(), all, 1);

      try (DatabaseSource source = DatabaseSource.of(kind, Map.of(variable, given.url()))) {
        try (Lease lease = source.lease()) {
          assertThat(lease.database().address()).isEqualTo(given.address());
          Jdbc.write(lease.database().url(), "something");
          assertThat(Jdbc.column(given.url(), all, 1)).contains(lease.database().name());
        }
      }

      assertThat(Jdbc.column(given.url(), all, 1)).containsExactlyInAnyOrderElementsOf(before);
    }
  }

  @Test
  void a_named_redis_is_emptied_afterwards_and_refused_if_it_is_not_empty() throws IOException {
    try (RedisServer given = RedisServer.start();
        DatabaseSource source =
            DatabaseSource.of(
                RedisServer.class, Map.of(DatabaseSource.REDIS, given.url() + "/2"))) {
      try (Lease lease = source.lease()) {
        RedisConnection.askOnce(lease.database().url(), "SET", "key", "value");
        assertThatThrownBy(source::lease).hasMessageContaining("not empty");
      }
      assertThat(RedisConnection.askOnce(given.url() + "/2", "DBSIZE")).isEqualTo("0");
    }
  }

  @ExtendWith(Servers.class)
  static class First {
    @Test
    void sees(
        Database<PostgreSqlServer> postgreSql,
        Database<MariaDbServer> mariaDb,
        Database<RedisServer> redis)
        throws Exception {
      SEEN.addAll(List.of(postgreSql, mariaDb, redis));
      Jdbc.write(postgreSql.url(), "note");
      Jdbc.write(mariaDb.url(), "note");
      assertThat(Jdbc.read(postgreSql.url())).containsExactly("note");
      assertThat(Jdbc.read(mariaDb.url())).containsExactly("note");
      assertThat(RedisConnection.askOnce(redis.url(), "INCR", "count")).isEqualTo("1");
    }
  }

  static class Second extends First {}

  @ExtendWith(Servers.class)
  static class Outer {
    @BeforeAll
    static void setUp(Database<RedisServer> redis) {
      SEEN.add(redis);
    }

    Outer(Database<RedisServer> redis) {
      SEEN.add(redis);
    }

    @Test
    void sees(Database<RedisServer> redis) {
      SEEN.add(redis);
    }

    @Nested
    class Inner {
      @Test
      void sees(Database<RedisServer> redis) {
        SEEN.add(redis);
      }
    }
  }

  @ExtendWith(Servers.class)
  static class Kills {
    @Test
    void one(RedisServer server) {
      server.kill();
      server.restart();
      SEEN.add(server);
    }
  }

  static class KillsToo extends Kills {}

  @ExtendWith(Servers.class)
  static class Shares {
    @Test
    void one(@Shared RedisServer server, RedisServer own) {
      assertThat(server.isRunning()).isTrue();
      assertThat(own).isNotSameAs(server);
      SEEN.add(server);
    }
  }

  static class SharesToo extends Shares {}
}
