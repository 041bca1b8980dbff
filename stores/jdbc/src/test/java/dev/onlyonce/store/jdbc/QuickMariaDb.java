package dev.onlyonce.store.jdbc;

import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One MariaDB server for all classes of the contract, that does not wait for the disk: the contract
 * is about answers, other tests crash servers. It ends with this JVM.
 */
final class QuickMariaDb {

  private static final Map<Class<?>, Database<MariaDbServer>> DATABASES = new ConcurrentHashMap<>();

  private QuickMariaDb() {}

  /** Holds the server, which is started when it is first wanted. */
  private static final class Holder {
    private static final MariaDbServer SERVER =
        MariaDbServer.start(Map.of("innodb-flush-log-at-trx-commit", "0"));
  }

  /** Returns the URL of the database of a test class. */
  static String url(Class<?> test) {
    return DATABASES.computeIfAbsent(test, it -> Holder.SERVER.newDatabase()).url();
  }
}
