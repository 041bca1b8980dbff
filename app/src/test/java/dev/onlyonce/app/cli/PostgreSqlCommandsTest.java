package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The program on a store in PostgreSQL. */
@ExtendWith(Servers.class)
class PostgreSqlCommandsTest extends SharedStoreRules {

  private final String url;

  PostgreSqlCommandsTest(Database<PostgreSqlServer> database) {
    this.url = database.url();
  }

  @Override
  String address() {
    return url;
  }

  @BeforeAll
  void makeTables(@TempDir Path empty) throws SQLException {
    InProcess program = new InProcess(empty);
    Result missing = program.run("claims", "stats", "--store=" + url);
    assertThat(missing.code()).isEqualTo(4);
    assertThat(missing.err()).contains("onlyonce schema prints the statements");

    execute(program.run("schema", "--store=" + url).out());
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void settings_that_forget_are_named() throws SQLException {
    assertThat(new InProcess(folder).run("doctor", "--store=" + url).code()).isZero();

    String forgetful = url + (url.contains("?") ? "&" : "?") + "options=-csynchronous_commit%3Doff";
    Result result = new InProcess(folder).run("doctor", "--store=" + forgetful);

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).containsPattern("(?m)^unsafe  synchronous_commit +off: a crash takes");
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
