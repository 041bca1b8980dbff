package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.app.store.Credentials;
import dev.onlyonce.app.store.Finding;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.app.store.StoreAccess;
import dev.onlyonce.app.store.StoreAddress;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The program on a store in PostgreSQL. */
@ExtendWith(Servers.class)
class PostgreSqlCommandsTest extends SharedDatabaseRules {

  private static final Kind KIND =
      new Kind(
          "\"NAME\"",
          "create role {user} login",
          "drop owned by {user};\ndrop role {user}",
          "postgresql.md",
          "1,510");

  private final String url;

  PostgreSqlCommandsTest(Database<PostgreSqlServer> database) {
    super(database.url(), KIND);
    this.url = database.url();
  }

  @BeforeAll
  void makeTables(@TempDir Path empty) throws SQLException {
    InProcess program = new InProcess(empty);
    Result missing = program.run("claims", "stats", "--store=" + url);
    assertThat(missing.code()).isEqualTo(4);
    assertThat(missing.err())
        .contains("onlyonce schema --dialect postgresql prints the statements");

    execute(program.run("schema", "--store=" + url).out());
  }

  private void execute(String sql) throws SQLException {
    execute(url, sql);
  }

  @Test
  void settings_that_forget_are_named() throws SQLException {
    assertThat(new InProcess(folder).run("doctor", "--store=" + url).code()).isZero();

    String forgetful = url + (url.contains("?") ? "&" : "?") + "options=-csynchronous_commit%3Doff";
    Result result = new InProcess(folder).run("doctor", "--store=" + forgetful);

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .containsPattern("(?m)^unsafe  synchronous_commit +off: a crash takes")
        .containsPattern("(?m)^ok +fsync +on")
        .containsPattern("(?m)^ok +autovacuum +on")
        .containsPattern("(?m)^ok +default_transaction_isolation +read committed");
  }

  @Test
  void settings_of_a_server_that_forget_are_named() throws SQLException {
    Map<String, String> settings =
        Map.of(
            "fsync", "off",
            "full_page_writes", "off",
            "autovacuum", "off",
            "synchronous_commit", "local",
            "synchronous_standby_names", "nobody",
            "default_transaction_isolation", "repeatable read");
    try (PostgreSqlServer server = PostgreSqlServer.start(settings)) {
      InProcess program = new InProcess(folder);
      execute(server.url(), program.run("schema", "--store=" + server.url()).out());
      Result result = program.run("doctor", "--store=" + server.url());

      assertThat(result.code()).isEqualTo(1);
      assertThat(result.out())
          .containsPattern("(?m)^unsafe  fsync +off: .*; set it to on")
          .containsPattern("(?m)^unsafe  full_page_writes +off: .*; set it to on")
          .containsPattern("(?m)^unsafe  autovacuum +off: every settlement leaves a dead row")
          .containsPattern("(?m)^unsafe  synchronous_commit +local: no standby is waited for")
          .containsPattern(
              "(?m)^note +default_transaction_isolation +repeatable read: this store's");
      // Nothing is committed here: with nobody to wait for it would take for ever.
      assertThat(findings(server.url() + "&options=-csynchronous_commit%3Dremote_write"))
          .anyMatch(it -> it.isBad() && it.sentence().startsWith("remote_write: a standby has"));
    }
    // Without standbys, both are what on is.
    for (String commit : List.of("local", "remote_write")) {
      assertThat(findings(url + "&options=-csynchronous_commit%3D" + commit))
          .noneMatch(Finding::isBad);
    }
  }

  @Test
  void settings_are_those_of_the_user_who_asks_and_that_is_said() throws SQLException {
    execute("create role sloppy login; alter role sloppy set synchronous_commit = off");
    try {
      assertThat(findings(url.replaceFirst("user=[^&]*", "user=sloppy")))
          .anyMatch(it -> it.sentence().contains(", asked as user sloppy: "))
          .anyMatch(it -> it.isBad() && it.topic().equals("synchronous_commit"));
      assertThat(findings(url))
          .noneMatch(it -> it.sentence().contains("sloppy"))
          .noneMatch(it -> it.isBad() && it.topic().equals("synchronous_commit"));
    } finally {
      execute("drop role sloppy");
    }
  }

  private static List<Finding> findings(String url) {
    return access(url, null).examine(null);
  }

  private static StoreAccess access(String url, @Nullable String prefix) {
    return StoreAddress.access(url, new Credentials(null, null), prefix);
  }

  @Test
  void a_store_whose_tables_have_a_prefix_of_their_own_is_reached_by_it() throws SQLException {
    InProcess program = new InProcess(folder);
    String store = "--store=" + url;
    assertThat(program.run("claims", "stats", store, "--prefix=shop_").err())
        .contains(
            "no tables shop_*", "schema --dialect postgresql --prefix shop_ prints the statements");
    execute(program.run("schema", store, "--prefix=shop_").out());
    program.write("in", "a\n");
    program.run("dedup", store, "--prefix=shop_", "--scope=packed", "--out", "@out", "@in");
    assertThat(folder.resolve("out")).hasContent("a\n");
    String[] list = {"claims", "list", "--scope=packed", store, "--prefix=shop_"};
    assertThat(program.run(list).out()).contains("done");
    assertThat(program.run("claims", "list", "--scope=packed", store).out()).doesNotContain("done");
    try (OpenStore open = access(url, "shop_").change("worker-1")) {
      Scope packed = Scope.of("packed");
      Duration day = Duration.ofDays(1);
      open.claims().claim(List.of(ClaimRequest.of(packed, Key.of("b"), 1, day, Lapse.TAKE)));
    }
    assertThat(program.run("doctor", "--restored", store, "--prefix=shop_").out())
        .contains("1 key would be put in doubt");

    execute("create role packer login; grant select on shop_claim to packer");
    try {
      String packer = "--store=" + url.replaceFirst("user=[^&]*", "user=packer");
      Result doctor = program.run("doctor", packer, "--prefix=shop_", "--rate=1000");
      assertThat(doctor.out())
          .contains("GRANT INSERT, UPDATE, DELETE ON shop_claim TO", "ON shop_event TO")
          .containsPattern("(?m)^note +disk +shop_claim takes 0 MiB")
          .doesNotContain("onlyonce_");
    } finally {
      execute("drop owned by packer; drop role packer");
    }
  }

  @Test
  void settings_that_the_database_does_not_tell_are_unknown_and_not_fine() throws SQLException {
    execute(
        "create schema hidden; create view hidden.pg_settings as select * from"
            + " pg_catalog.pg_settings where name not in ('synchronous_commit', 'fsync')");
    try {
      String hiding = "--store=" + url + "&currentSchema=hidden,public,pg_catalog";
      assertThat(new InProcess(folder).run("doctor", hiding).out())
          .containsPattern("(?m)^unsafe +synchronous_commit +unknown: a crash takes")
          .containsPattern("(?m)^unsafe +fsync +unknown: ");
    } finally {
      execute("drop schema hidden cascade");
    }
  }

  @Test
  void secrets_come_from_a_file_and_are_not_shown() throws Exception {
    Files.writeString(folder.resolve("secret"), "not-the-password\n");
    String nobody = "jdbc:postgresql://127.0.0.1:1/none?password=hush";

    Result result =
        new InProcess(folder)
            .run("claims", "stats", "--store=" + nobody, "--user=x", "--password-file", "@secret");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err())
        .startsWith("onlyonce: cannot connect to jdbc:postgresql://127.0.0.1:1/none?password=***")
        .doesNotContain("hush")
        .doesNotContain("not-the-password");
  }
}
