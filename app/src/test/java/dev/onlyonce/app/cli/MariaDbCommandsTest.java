package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.Servers;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The program on a store in MariaDB. */
@ExtendWith(Servers.class)
class MariaDbCommandsTest extends SharedDatabaseRules {

  private static final Kind KIND =
      new Kind("'NAME'@'%'", "create user {user}", "drop user {user}", "mysql-mariadb.md", "858");

  private final String url;

  MariaDbCommandsTest(Database<MariaDbServer> database) {
    super(database.url(), KIND);
    this.url = database.url();
  }

  @BeforeAll
  void makeTables(@TempDir Path empty) throws SQLException {
    execute(url, new InProcess(empty).run("schema", "--dialect=mariadb").out());
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
}
