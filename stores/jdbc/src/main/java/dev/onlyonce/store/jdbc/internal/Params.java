package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Scope;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sets the parameters of a statement one after the other. */
final class Params {

  private final PreparedStatement statement;
  private int index;

  Params(PreparedStatement statement) {
    this.statement = statement;
  }

  Params number(long value) throws SQLException {
    statement.setLong(++index, value);
    return this;
  }

  Params numberOrNull(@Nullable Long value) throws SQLException {
    index++;
    if (value == null) {
      statement.setNull(index, Types.BIGINT);
    } else {
      statement.setLong(index, value);
    }
    return this;
  }

  Params bytes(byte @Nullable [] value) throws SQLException {
    statement.setBytes(++index, value);
    return this;
  }

  Params text(String value) throws SQLException {
    statement.setString(++index, value);
    return this;
  }

  /** Sets a scope where scopes are stored as bytes. */
  Params scope(Scope scope) throws SQLException {
    return bytes(scope.name().getBytes(US_ASCII));
  }

  /** Sets an array of one value for each item. */
  <T> Params array(String type, List<? extends T> items, Function<T, @Nullable Object> value)
      throws SQLException {
    Connection connection = statement.getConnection();
    Object[] values = type.equals("bytea") ? new byte[items.size()][] : new Object[items.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value.apply(items.get(i));
    }
    Array array = connection.createArrayOf(type, values);
    statement.setArray(++index, array);
    return this;
  }
}
