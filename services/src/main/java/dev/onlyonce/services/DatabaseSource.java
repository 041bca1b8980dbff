package dev.onlyonce.services;

import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the databases of one kind come from during a run of tests: the server that the environment
 * names, or one of our own.
 */
interface DatabaseSource extends AutoCloseable {
  String POSTGRESQL = "ONLYONCE_TEST_POSTGRESQL_URL";
  String MARIADB = "ONLYONCE_TEST_MARIADB_URL";
  String REDIS = "ONLYONCE_TEST_REDIS_URL";

  /** Hands out an empty database, which is done away with when it is closed. */
  Lease lease();

  @Override
  void close();

  /** A database for as long as it is needed. */
  record Lease(Database<?> database, Runnable end) implements AutoCloseable {
    @Override
    public void close() {
      end.run();
    }
  }

  static boolean has(Class<?> kind) {
    return kind == PostgreSqlServer.class
        || kind == MariaDbServer.class
        || kind == RedisServer.class;
  }

  static DatabaseSource of(Class<?> kind, Map<String, String> environment) {
    if (kind == PostgreSqlServer.class) {
      return sql(POSTGRESQL, environment, PostgreSqlServer::start);
    }
    if (kind == MariaDbServer.class) {
      return sql(MARIADB, environment, MariaDbServer::start);
    }
    @Nullable String given = environment.get(REDIS);
    return given == null ? new OwnRedis() : new GivenRedis(given);
  }

  private static DatabaseSource sql(
      String variable, Map<String, String> environment, Supplier<? extends Server> start) {
    @Nullable String given = environment.get(variable);
    if (given != null) {
      return new SqlServer(given, () -> {});
    }
    try {
      Server own = start.get();
      return new SqlServer(own.url(), own::close);
    } catch (ServerException e) {
      throw new ServerException(e.getMessage() + "\nor name a server in " + variable, e);
    }
  }

  /** One server for all, in which each database is made and dropped. */
  record SqlServer(String url, Runnable end) implements DatabaseSource {
    @Override
    public Lease lease() {
      Database<?> database = Sql.newDatabase(url);
      return new Lease(database, () -> Sql.drop(database, url));
    }

    @Override
    public void close() {
      end.run();
    }
  }

  /** A new server each time: that is quicker than most statements. */
  record OwnRedis() implements DatabaseSource {
    @Override
    public Lease lease() {
      try {
        RedisServer server = RedisServer.start();
        return new Lease(new Database<RedisServer>(server.url()), server::close);
      } catch (ServerException e) {
        throw new ServerException(e.getMessage() + "\nor name a server in " + REDIS, e);
      }
    }

    @Override
    public void close() {}
  }

  /** A database that must be empty, and is emptied again after each use. */
  record GivenRedis(String url) implements DatabaseSource {
    public GivenRedis {
      if (URI.create(url).getPort() < 0) {
        throw new ServerException(REDIS + " must look like redis://HOST:PORT/DATABASE");
      }
    }

    @Override
    public Lease lease() {
      if (!ask("DBSIZE").equals("0")) {
        throw new ServerException(REDIS + " names a database that is not empty");
      }
      return new Lease(new Database<RedisServer>(url), () -> ask("FLUSHDB"));
    }

    private String ask(String question) {
      try {
        return RedisConnection.askOnce(url, question);
      } catch (IOException e) {
        throw new ServerException("the server that " + REDIS + " names does not answer", e);
      }
    }

    @Override
    public void close() {}
  }
}
