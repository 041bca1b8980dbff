package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

class PostgreSqlServerTest extends ServerContract<PostgreSqlServer> {

  @Override
  PostgreSqlServer start(IntSupplier ports, Map<String, String> settings) {
    return Server.start(new PostgreSqlServer(PostgreSqlPrograms.folder(), settings), ports);
  }

  @Override
  void write(PostgreSqlServer to, String value) throws SQLException {
    Jdbc.write(to.url(), value);
  }

  @Override
  List<String> read(PostgreSqlServer from) throws SQLException {
    return Jdbc.read(from.url());
  }

  @Override
  String settingOf(PostgreSqlServer of, String name) throws SQLException {
    return Jdbc.column(of.url(), "SHOW " + name, 1).get(0);
  }

  @Override
  Map.Entry<String, String> unsafeSetting() {
    return Map.entry("fsync", "off");
  }

  @Test
  void a_new_database_is_one_of_its_own() throws SQLException {
    Database<PostgreSqlServer> first = server().newDatabase();
    Database<PostgreSqlServer> second = server().newDatabase();

    Jdbc.write(first.url(), "first");
    Jdbc.write(second.url(), "second");

    assertThat(Jdbc.read(first.url())).containsExactly("first");
    assertThat(first.address()).isEqualTo(server().address());
  }
}
