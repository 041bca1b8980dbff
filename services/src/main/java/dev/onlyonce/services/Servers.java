package dev.onlyonce.services;

import java.lang.reflect.ParameterizedType;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands real servers to JUnit tests, as parameters of a test class, its tests and its other
 * methods.
 *
 * <ul>
 *   <li>{@code Database<PostgreSqlServer>}, {@code Database<MariaDbServer>}, {@code
 *       Database<RedisServer>}: an empty database of the test class. It lies in the server that the
 *       environment names ({@code ONLYONCE_TEST_POSTGRESQL_URL}, {@code ONLYONCE_TEST_MARIADB_URL},
 *       {@code ONLYONCE_TEST_REDIS_URL}), else in one of our own, which the whole run of tests
 *       shares. It is dropped when the class is done.
 *   <li>{@link PostgreSqlServer}, {@link MariaDbServer}, {@link RedisServer}, {@link RedisCluster},
 *       {@link KafkaBroker}, {@link RabbitMqServer}, {@link RocketMqServer}: a server of our own
 *       that no other class has, with the default settings, for tests that kill it. It is closed
 *       when the class is done.
 *   <li>The same with {@link Shared}: a server of our own that all classes have together. It is
 *       closed when the run is done.
 * </ul>
 *
 * All methods of a class, and of the classes nested in it, get the same ones.
 *
 * <p>A test fails, with what is to be installed, if there is no server for it; none is skipped.
 */
public final class Servers implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(Servers.class);
  private static final Map<Class<?>, Supplier<AutoCloseable>> OWN =
      Map.of(
          PostgreSqlServer.class, PostgreSqlServer::start,
          MariaDbServer.class, MariaDbServer::start,
          RedisServer.class, RedisServer::start,
          RedisCluster.class, RedisCluster::start,
          KafkaBroker.class, KafkaBroker::start,
          RabbitMqServer.class, RabbitMqServer::start,
          RocketMqServer.class, RocketMqServer::start);

  /** Called by JUnit. */
  public Servers() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    Class<?> type = parameter.getParameter().getType();
    return OWN.containsKey(type)
        || (type == Database.class && DatabaseSource.has(kindOfDatabase(parameter)));
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    Class<?> type = parameter.getParameter().getType();
    ExtensionContext testClass = outermostClass(test);
    Supplier<AutoCloseable> own = OWN.get(type);
    if (own != null) {
      return parameter.isAnnotated(Shared.class)
          ? server("shared " + type, own, testClass.getRoot())
          : server("own " + type, own, testClass);
    }
    return database(kindOfDatabase(parameter), testClass);
  }

  private static AutoCloseable server(
      String key, Supplier<AutoCloseable> start, ExtensionContext owner) {
    return owner
        .getStore(NAMESPACE)
        .computeIfAbsent(key, absent -> start.get(), AutoCloseable.class);
  }

  private static Database<?> database(Class<?> kind, ExtensionContext testClass) {
    DatabaseSource source =
        testClass
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent(
                "source of " + kind,
                key -> DatabaseSource.of(kind, System.getenv()),
                DatabaseSource.class);
    return testClass
        .getStore(NAMESPACE)
        .computeIfAbsent("database of " + kind, key -> source.lease(), DatabaseSource.Lease.class)
        .database();
  }

  /** The kind of server in {@code Database<...>}. */
  private static Class<?> kindOfDatabase(ParameterContext parameter) {
    return parameter.getParameter().getParameterizedType() instanceof ParameterizedType database
            && database.getActualTypeArguments()[0] instanceof Class<?> kind
        ? kind
        : Object.class;
  }

  private static ExtensionContext outermostClass(ExtensionContext test) {
    ExtensionContext outermost = test;
    Optional<ExtensionContext> parent = test.getParent();
    while (parent.isPresent() && parent.get().getTestClass().isPresent()) {
      outermost = parent.get();
      parent = outermost.getParent();
    }
    return outermost;
  }
}
