package dev.onlyonce.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

class MariaDbServerTest extends ServerContract<MariaDbServer> {

  @Override
  MariaDbServer start(IntSupplier ports, Map<String, String> settings) {
    return Server.start(new MariaDbServer(Programs.installed(), settings), ports);
  }

  @Override
  void write(MariaDbServer to, String value) throws SQLException {
    Jdbc.write(to.url(), value);
  }

  @Override
  List<String> read(MariaDbServer from) throws SQLException {
    return Jdbc.read(from.url());
  }

  @Override
  String settingOf(MariaDbServer of, String name) throws SQLException {
    return Jdbc.column(of.url(), "SHOW VARIABLES LIKE '" + name + "'", 2).get(0);
  }

  @Override
  Map.Entry<String, String> unsafeSetting() {
    return Map.entry("innodb_flush_log_at_trx_commit", "0");
  }

  @Test
  void a_new_database_is_one_of_its_own() throws SQLException {
    Database<MariaDbServer> first = server().newDatabase();
    Database<MariaDbServer> second = server().newDatabase();

    Jdbc.write(first.url(), "first");
    Jdbc.write(second.url(), "second");

    assertThat(Jdbc.read(first.url())).containsExactly("first");
    assertThat(first.address()).isEqualTo(server().address());
  }
}
