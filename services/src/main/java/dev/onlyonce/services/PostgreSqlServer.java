package dev.onlyonce.services;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL server: the one that Maven brings for Linux on x86-64, elsewhere the installed one.
 *
 * <p>By default: PostgreSQL's own settings, so that what is committed is synced, with 32 MB of
 * shared buffers. Its superuser {@code postgres} needs no password.
 */
public final class PostgreSqlServer extends Server {
  private final Path programs;
  private final Path data;
  private final Map<String, String> settings = new LinkedHashMap<>();

  PostgreSqlServer(Path programs, Map<String, String> settings) {
    super("PostgreSQL");
    this.programs = programs;
    data = home().folder("data");
    this.settings.put("listen_addresses", "127.0.0.1");
    this.settings.put("unix_socket_directories", "");
    this.settings.put("shared_buffers", "32MB");
    this.settings.putAll(settings);
  }

  /** Starts one with the default settings. */
  public static PostgreSqlServer start() {
    return start(Map.of());
  }

  /** Starts one with parameters of {@code postgresql.conf}. */
  public static PostgreSqlServer start(Map<String, String> settings) {
    return start(PostgreSqlPrograms.folder(), settings);
  }

  static PostgreSqlServer start(Path programs, Map<String, String> settings) {
    return start(new PostgreSqlServer(programs, settings));
  }

  @Override
  void prepare() {
    List<String> command = new ArrayList<>(List.of(programs.resolve("initdb").toString()));
    command.addAll(List.of("--pgdata=" + data, "--username=postgres", "--auth=trust"));
    command.addAll(List.of("--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"));
    Child.run(home(), command);
  }

  @Override
  List<String> command(int port) {
    List<String> command = new ArrayList<>(List.of(programs.resolve("postgres").toString()));
    command.addAll(List.of("-D", data.toString(), "-p", Integer.toString(port)));
    settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    return command;
  }

  @Override
  boolean answers(long pid) throws SQLException {
    String url = url() + "&connectTimeout=2&socketTimeout=2";
    return Path.of(Sql.ask(url, "SHOW data_directory")).equals(data);
  }

  /** Fast: rolls back what is open, then shuts down. */
  @Override
  String stopSignal() {
    return "INT";
  }

  /** Immediate: after a kill its shared memory would stay until it is started again. */
  @Override
  String leaveSignal() {
    return "QUIT";
  }

  /** The JDBC URL of the database {@code postgres}, with the user in it and without encryption. */
  @Override
  public String url() {
    String server = "jdbc:postgresql://127.0.0.1:" + address().getPort();
    return server + "/postgres?user=postgres&sslmode=disable";
  }

  /** Makes an empty database. */
  public Database<PostgreSqlServer> newDatabase() {
    return Sql.newDatabase(url());
  }
}
