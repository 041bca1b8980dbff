package dev.onlyonce.store.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/** Real connections that tell when a method of theirs is about to be called. */
final class Watched {

  private Watched() {}

  /** Returns the source, whose connections run this before each call of the method. */
  static DataSource source(DataSource source, String method, Runnable before) {
    return (DataSource)
        Proxy.newProxyInstance(
            Watched.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, called, arguments) -> {
              Object answer = call(source, called, arguments);
              return answer instanceof Connection connection
                  ? connection(connection, method, before)
                  : answer;
            });
  }

  /** Returns the connection, which runs this before each call of the method. */
  static Connection connection(Connection connection, String method, Runnable before) {
    return (Connection)
        Proxy.newProxyInstance(
            Watched.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, called, arguments) -> {
              if (called.getName().equals(method)) {
                before.run();
              }
              return call(connection, called, arguments);
            });
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
