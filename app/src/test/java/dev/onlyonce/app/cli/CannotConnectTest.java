package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the program says when there is no way to a store: one sentence with place and remedy. */
@ExtendWith(Servers.class)
class CannotConnectTest {

  private static final String[] SCHEMES = {"jdbc:postgresql:", "jdbc:mariadb:", "redis:"};
  private static final String NAMED = "shop:secret";

  @TempDir Path folder;

  /** Returns the one sentence of a command that cannot come to its store. */
  private String stats(int code, String store, String... more) {
    List<String> words = new ArrayList<>(List.of("claims", "stats", "--store=" + store));
    words.addAll(List.of(more));
    Result result = new InProcess(folder).run(words.toArray(String[]::new));
    assertThat(result.code()).as(store + result.err()).isEqualTo(code);
    assertThat(result.err()).as(store).hasLineCount(1).doesNotContain("secret");
    return result.err();
  }

  /** A statement may take five minutes, and connecting must not. */
  @Test
  @Timeout(value = 90, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
  void who_takes_a_connection_and_says_nothing_is_given_up_soon() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String place = "127.0.0.1:" + silent.getLocalPort();
      for (String scheme : SCHEMES) {
        String said = stats(4, scheme + "//" + place + (scheme.equals("redis:") ? "" : "/shop"));
        assertThat(said).contains(place, "see whether host and port are those of");
      }
    }
  }

  @Test
  void where_nobody_is_host_and_port_are_named_with_what_to_look_at() {
    for (String scheme : SCHEMES) {
      String path = scheme.equals("redis:") ? "" : "/shop";
      assertThat(stats(4, scheme + "//127.0.0.1:1" + path)).contains("127.0.0.1:1", "see whether");
      assertThat(stats(4, scheme + "//nowhere.invalid:17" + path))
          .contains("nowhere.invalid:17", "see whether");
    }
    assertThat(stats(4, "jdbc:postgresql://nowhere.invalid/shop"))
        .contains("no host of nowhere.invalid:5432 is known");
  }

  @Test
  void an_address_that_cannot_be_right_is_told_with_a_right_one() {
    Map.of(
            "jdbc:postgresql://127.0.0.1:99999/shop",
            "has the port '99999'",
            "jdbc:postgresql://127.0.0.1:5432",
            "names no database",
            "jdbc:postgresql:/x",
            "has no host",
            "jdbc:postgresql://" + NAMED + "@127.0.0.1/shop",
            "before its host",
            "jdbc:mariadb://127.0.0.1:3306",
            "names no database")
        .forEach(
            (url, fault) ->
                assertThat(stats(2, url))
                    .contains(fault, "write it as in jdbc:", "//db.example:")
                    .doesNotContain("no driver"));
    assertThat(stats(2, "redis://")).contains("redis:// cannot be used", "names a host", "HOST");
    assertThat(stats(2, "redis://127.0.0.1:abc"))
        .contains("redis://127.0.0.1:abc cannot", "1 to 65,535, was 'abc'", "//HOST[:PORT]");
    assertThat(stats(2, "redis://" + NAMED + "@127.0.0.1:70000"))
        .contains("redis://shop:***@127.0.0.1:70000 cannot", "was '70000'");
  }

  @Test
  void what_a_driver_warns_of_is_not_printed_beside_the_sentence() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Shell.Result result =
        Shell.withProgram(folder)
            .set("program", java + " " + Main.class.getName())
            .run("$program claims stats --store 'jdbc:postgresql://127.0.0.1:1/x?loginTimeout=a'");

    assertThat(result.err()).startsWith("onlyonce: ").hasLineCount(1);
  }

  @Test
  void who_is_not_let_in_is_told_how_to_say_who_he_is() throws IOException {
    Path rules = Files.createTempFile("rules", ".conf");
    Files.writeString(
        rules, "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
    assertThat(rules.toFile().setReadable(true, false)).isTrue();
    try (PostgreSqlServer server = PostgreSqlServer.start(Map.of("hba_file", rules.toString()))) {
      String url = server.url();
      execute(url, "create role shop login password 'right'");
      assertAskedForLogin(url.replace("user=postgres", "user=shop"));
      assertThat(stats(4, url.replace("user=postgres&", ""))).contains("no user was named");
      assertThat(stats(4, url.replace("/postgres?", "/nothing?")))
          .contains("there is no such database at 127.0.0.1:", "CREATE DATABASE");
    } finally {
      Files.delete(rules);
    }
  }

  @Test
  void who_is_not_let_in_by_mariadb_is_told_the_same(Database<MariaDbServer> database) {
    execute(database.url(), "create user shop identified by 'right'");
    try {
      assertAskedForLogin(database.url().replace("user=onlyonce", "user=shop"));
      assertThat(stats(4, database.url().replaceFirst("/\\w+[?]", "/nothing?")))
          .contains("there is no such database at 127.0.0.1:", "CREATE DATABASE");
    } finally {
      execute(database.url(), "drop user shop");
    }
  }

  private void assertAskedForLogin(String url) {
    assertThat(stats(4, url))
        .contains("a password is asked for, and none was given")
        .contains("--user", "--password-file", "ONLYONCE_PASSWORD");
    new InProcess(folder).write("password", "secret\n");
    assertThat(stats(4, url, "--user=shop", "--password-file=" + folder.resolve("password")))
        .contains("user and password are not those of one who is let in")
        .contains("--user", "--password-file", "ONLYONCE_PASSWORD");
  }

  @Test
  void who_is_not_let_in_by_redis_is_told_what_to_look_at(Database<RedisServer> database) {
    assertThat(stats(4, database.url().replace("//", "//" + NAMED + "@")))
        .contains("does not let us in, see whether user and password are right: WRONGPASS");
  }

  /** Who is told of a database by a file has named no address himself. */
  @Test
  void missing_tables_are_told_with_their_address_and_one_remedy(
      Database<PostgreSqlServer> postgreSql, Database<MariaDbServer> mariaDb) throws IOException {
    String remedy = "prints the statements that make them\n";
    for (String url : List.of(postgreSql.url(), mariaDb.url())) {
      String name = url.substring(0, url.indexOf('?'));
      String dialect = url.contains("mariadb") ? "mariadb" : "postgresql";
      // PostgreSQL trusts whoever comes, so that the password is not looked at.
      String told = dialect.equals("mariadb") ? url : url + "&password=secret";
      assertThat(stats(4, told))
          .contains("there are no tables onlyonce_* in " + name)
          .endsWith("onlyonce schema --dialect " + dialect + " " + remedy)
          .doesNotContain("JdbcSchema", "SQL");
      Path file =
          Files.writeString(
              folder.resolve("tiers.yaml"),
              "authority: database\ndatabase:\n  url: %s\n  prefix: shop_\nnear:\n  memory: 1MiB\n"
                  .formatted(told));
      assertThat(stats(4, "tiered:" + file))
          .startsWith("onlyonce: tiers.yaml: there are no tables shop_* in " + name)
          .endsWith("--dialect " + dialect + " --prefix shop_ " + remedy);
      Files.writeString(file, Files.readString(file).replaceFirst("/\\w+[?].*", ""));
      assertThat(stats(3, "tiered:" + file))
          .startsWith("onlyonce: tiers.yaml, line 3: database.url names no database");

      Result doctor = new InProcess(folder).run("doctor", "--store=" + told);
      assertThat(doctor.code()).as("the database is reached").isEqualTo(1);
      assertThat(doctor.out())
          .containsPattern("(?m)^ok +server ")
          .containsPattern("(?m)^broken +store +there are no tables onlyonce_[*] in .* " + remedy)
          .doesNotContain("permissions");
    }
  }

  private static void execute(String url, String sql) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
