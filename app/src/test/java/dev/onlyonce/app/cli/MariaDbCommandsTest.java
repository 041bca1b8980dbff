package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.Servers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
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
    String script = new InProcess(empty).run("schema", "--dialect=mariadb").out();
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
}
