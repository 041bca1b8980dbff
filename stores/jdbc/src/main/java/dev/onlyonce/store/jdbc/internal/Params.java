package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Scope;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
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
  <T> Params bytea(List<? extends T> items, Function<T, byte @Nullable []> value)
      throws SQLException {
    return array("bytea", items, new byte[items.size()][], value);
  }

  <T> Params text(List<? extends T> items, Function<T, String> value) throws SQLException {
    return array("text", items, new String[items.size()], value);
  }

  <T> Params int8(List<? extends T> items, Function<T, @Nullable Long> value) throws SQLException {
    return array("int8", items, new Long[items.size()], value);
  }

  <T> Params int4(List<? extends T> items, Function<T, Integer> value) throws SQLException {
    return array("int4", items, new Integer[items.size()], value);
  }

  <T> Params int2(List<? extends T> items, ToIntFunction<T> value) throws SQLException {
    return array("int2", items, new Short[items.size()], it -> (short) value.applyAsInt(it));
  }

  /**
   * The array is of the type of its values: only then the driver of PostgreSQL sends them as they
   * are, and not as one text.
   */
  private <T, V> Params array(
      String type,
      List<? extends T> items,
      @Nullable V[] values,
      Function<? super T, ? extends @Nullable V> value)
      throws SQLException {
    for (int i = 0; i < values.length; i++) {
      values[i] = value.apply(items.get(i));
    }
    Array array = statement.getConnection().createArrayOf(type, values);
    statement.setArray(++index, array);
    return this;
  }
}
