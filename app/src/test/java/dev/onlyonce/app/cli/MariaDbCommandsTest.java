package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.Servers;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The program on a store in MariaDB. */
@ExtendWith(Servers.class)
class MariaDbCommandsTest extends SharedStoreRules {

  private final String url;

  MariaDbCommandsTest(Database<MariaDbServer> database) {
    this.url = database.url();
  }

  @Override
  String address() {
    return url;
  }

  @BeforeAll
  void makeTables(@TempDir Path empty) throws SQLException {
    execute(url, new InProcess(empty).run("schema", "--dialect=mariadb").out());
  }

  private static void execute(String url, String script) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String each : script.split(";\n", -1)) {
        if (!each.isBlank()) {
          statement.execute(each);
        }
      }
    }
  }

  @Test
  void settings_that_forget_are_named() {
    String loose = url + (url.contains("?") ? "&" : "?") + "sessionVariables=sql_mode=''";
    Result result = new InProcess(folder).run("doctor", "--store=" + loose);

    assertThat(result.out())
        .containsPattern("(?m)^unsafe  sql_mode +not strict")
        .containsPattern("(?m)^ok +innodb_flush_log_at_trx_commit +1");
    assertThat(result.code()).isEqualTo(1);
  }

  @Test
  void settings_of_a_server_that_forget_are_named() throws SQLException {
    Map<String, String> settings =
        Map.of(
            "innodb-flush-log-at-trx-commit", "0",
            "log-bin", "binlog",
            "sync-binlog", "0",
            "innodb-doublewrite", "0",
            "innodb-rollback-on-timeout", "1",
            "transaction-isolation", "SERIALIZABLE");
    try (MariaDbServer server = MariaDbServer.start(settings)) {
      String store = server.newDatabase().url();
      InProcess program = new InProcess(folder);
      execute(store, program.run("schema", "--store=" + store).out());
      Result result = program.run("doctor", "--store=" + store);

      assertThat(result.code()).as(result.err()).isEqualTo(1);
      assertThat(result.out())
          .containsPattern("(?m)^unsafe  innodb_flush_log_at_trx_commit +0: .*; set it to 1")
          .containsPattern("(?m)^unsafe  sync_binlog +0: .*; set it to 1")
          .containsPattern("(?m)^unsafe  innodb_doublewrite +OFF: .*; set it to ON")
          .containsPattern("(?m)^unsafe  innodb_rollback_on_timeout +ON: .*; set it to OFF")
          .containsPattern("(?m)^note +t\\w+_isolation +SERIALIZABLE: this store's own");
    }
  }

  @Test
  void permissions_that_a_store_lacks_are_named_with_what_grants_them() throws SQLException {
    execute(
        url,
        """
        create user 'clerk'@'%';
        grant select, insert, update on onlyonce_claim to 'clerk'@'%';
        grant select, insert, update on onlyonce_position to 'clerk'@'%';
        grant select, update on onlyonce_meta to 'clerk'@'%'
        """);
    try {
      String clerk = url.replaceFirst("user=[^&]*", "user=clerk");
      InProcess program = new InProcess(folder);
      Result denied = program.run("doctor", "--store=" + clerk);
      assertThat(denied.code()).as(denied.err()).isEqualTo(1);
      assertThat(denied.out())
          .contains(
              "DELETE on onlyonce_claim is missing: no key is ever forgotten, and the table grows"
                  + " without end; GRANT DELETE ON onlyonce_claim TO 'clerk'@'%'")
          .contains("GRANT SELECT, INSERT, UPDATE, DELETE ON onlyonce_event TO 'clerk'@'%'")
          .contains("no key was tried")
          .doesNotContain("onlyonce_meta", "onlyonce_position");

      execute(url, denied.out().replaceAll("(?m)^.*(GRANT .*)$|^.*$", "$1;"));
      assertThat(program.run("doctor", "--store=" + clerk).out())
          .containsPattern("(?m)^ok +permissions +'clerk'@'%' may do")
          .containsPattern("(?m)^ok +one key ");
    } finally {
      execute(url, "drop user 'clerk'@'%'");
    }
  }

  @Test
  void what_the_guide_grants_is_enough() throws IOException, SQLException {
    execute(url, "create user 'shop'@'%';\n" + GuideGrants.of("mysql-mariadb.md"));
    try {
      String shop = "--store=" + url.replaceFirst("user=[^&]*", "user=shop");
      assertThat(new InProcess(folder).run("doctor", shop).out())
          .containsPattern("(?m)^ok +permissions ")
          .containsPattern("(?m)^ok +one key ");
    } finally {
      execute(url, "drop user 'shop'@'%'");
    }
  }

  @Test
  void the_room_that_a_load_needs_is_compared_with_what_the_table_takes() {
    assertThat(
            new InProcess(folder)
                .run("doctor", "--store=" + url, "--rate=1000", "--retention=1h")
                .out())
        .containsPattern(
            "(?m)^note +disk +onlyonce_claim takes [0-9]{1,2} MiB, this rate and retention need about"
                + " 858 MiB; a database does not tell what its disk has free");
  }
}
