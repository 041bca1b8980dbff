package dev.onlyonce.store.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * The transaction's connection as an effect gets it: it does everything but end the transaction,
 * which would commit a claim without the whole of its effect. {@code unwrap} leads past it, and so
 * does the connection that a statement or the metadata tells.
 */
final class Lent {

  private static final Set<String> ENDINGS = Set.of("commit", "close", "abort");
  private static final String INVALID_TERMINATION = "2D000";

  private Lent() {}

  static Connection of(Connection transaction) {
    return (Connection)
        Proxy.newProxyInstance(
            Lent.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("equals")) {
                return self == arguments[0];
              }
              if (ends(method, arguments)) {
                throw new SQLException(
                    "the inbox ends the transaction, its effects must not call %s(): take the call"
                            .formatted(method.getName())
                        + " out, and throw where nothing is to be done",
                    INVALID_TERMINATION);
              }
              return call(transaction, method, arguments);
            });
  }

  private static boolean ends(Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "rollback" -> arguments == null; // that to a savepoint goes on
      case "setAutoCommit" -> Boolean.TRUE.equals(arguments[0]);
      default -> ENDINGS.contains(method.getName());
    };
  }

  private static Object call(Connection transaction, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(transaction, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
