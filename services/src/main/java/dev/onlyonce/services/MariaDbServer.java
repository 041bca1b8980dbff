package dev.onlyonce.services;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A MariaDB server, the installed one.
 *
 * <p>By default: MariaDB's own settings, so that what is committed is synced, with UTF-8 in four
 * bytes and 64 MB of buffer pool. Its user {@code onlyonce} may do everything and needs no
 * password.
 */
public final class MariaDbServer extends Server {
  private final Programs programs;
  private final Path data;
  private final Map<String, String> settings = new LinkedHashMap<>();

  MariaDbServer(Programs programs, Map<String, String> settings) {
    super("MariaDB");
    this.programs = programs;
    data = home().folder("data");
    this.settings.put("character-set-server", "utf8mb4");
    this.settings.put("innodb-buffer-pool-size", "64M");
    this.settings.putAll(settings);
  }

  /** Starts one with the default settings. */
  public static MariaDbServer start() {
    return start(Map.of());
  }

  /** Starts one with options of {@code mariadbd}, without the two hyphens. */
  public static MariaDbServer start(Map<String, String> settings) {
    return start(Programs.installed(), settings);
  }

  static MariaDbServer start(Programs programs, Map<String, String> settings) {
    return start(new MariaDbServer(programs, settings));
  }

  @Override
  void prepare() {
    List<String> command = new ArrayList<>();
    command.add(programs.require("mariadb-install-db", "mariadb-server"));
    command.addAll(List.of("--no-defaults", "--datadir=" + data, "--skip-test-db"));
    command.addAll(List.of("--skip-name-resolve", "--auth-root-authentication-method=normal"));
    Child.run(home(), command);
    home()
        .file(
            "init.sql",
            List.of(
                "CREATE USER IF NOT EXISTS 'onlyonce'@'127.0.0.1';",
                "GRANT ALL ON *.* TO 'onlyonce'@'127.0.0.1' WITH GRANT OPTION;"));
  }

  @Override
  List<String> command(int port) {
    List<String> command = new ArrayList<>();
    command.add(programs.require("mariadbd", "mariadb-server"));
    command.addAll(List.of("--no-defaults", "--datadir=" + data, "--port=" + port));
    command.addAll(List.of("--bind-address=127.0.0.1", "--skip-name-resolve"));
    command.addAll(List.of("--socket=mariadb.sock", "--pid-file=mariadb.pid"));
    command.add("--init-file=" + home().directory().resolve("init.sql"));
    settings.forEach((name, value) -> command.add("--" + name + "=" + value));
    return command;
  }

  @Override
  boolean answers(long pid) throws SQLException {
    String url = url() + "&connectTimeout=2000&socketTimeout=2000";
    return Path.of(Sql.ask(url, "SELECT @@datadir")).equals(data);
  }

  /** The JDBC URL of the database {@code mysql}, with the user in it and without encryption. */
  @Override
  public String url() {
    return "jdbc:mariadb://127.0.0.1:"
        + address().getPort()
        + "/mysql?user=onlyonce&sslMode=disable";
  }

  /** Makes an empty database. */
  public Database<MariaDbServer> newDatabase() {
    return Sql.newDatabase(url());
  }
}
