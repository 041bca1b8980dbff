package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MissingProgramsTest {
  @TempDir Path folder;

  @Test
  void a_missing_server_is_an_error_that_says_what_to_install() {
    Programs none = new Programs(List.of(folder));

    assertThatThrownBy(() -> MariaDbServer.start(none, Map.of()))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("please install mariadb-server")
        .hasMessageContaining(folder.toString());
    assertThatThrownBy(() -> RedisServer.start(none, Map.of()))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("please install redis-server");
    assertThatThrownBy(() -> RabbitMqServer.scripts(none, folder.resolve("debian")))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("please install rabbitmq-server");
    assertThatThrownBy(() -> PostgreSqlPrograms.installed(none, folder))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("please install postgresql");
  }

  @Test
  void the_newest_installed_postgresql_is_taken() throws IOException {
    for (String version : List.of("9", "15", "common")) {
      program(folder.resolve(version).resolve("bin"), "postgres");
      program(folder.resolve(version).resolve("bin"), "initdb");
    }

    assertThat(PostgreSqlPrograms.installed(new Programs(List.of()), folder))
        .isEqualTo(folder.resolve("15/bin"));
  }

  @Test
  void a_postgresql_in_the_path_is_taken_first_and_its_link_followed() throws IOException {
    Path real = program(folder.resolve("real"), "postgres");
    program(folder.resolve("real"), "initdb");
    Path path = Files.createDirectory(folder.resolve("path"));
    Files.createSymbolicLink(path.resolve("postgres"), real);

    assertThat(PostgreSqlPrograms.installed(new Programs(List.of(path)), folder))
        .isEqualTo(real.toRealPath().getParent());
  }

  private static Path program(Path in, String name) throws IOException {
    Path program = Files.createDirectories(in).resolve(name);
    Files.createFile(program);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return program;
  }
}
