package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Scope;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
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

  Params text(@Nullable String value) throws SQLException {
    statement.setString(++index, value);
    return this;
  }

  /** Sets a scope where scopes are stored as bytes. */
  Params scope(Scope scope) throws SQLException {
    return bytes(scope.name().getBytes(US_ASCII));
  }

  Params array(String type, @Nullable Object[] values) throws SQLException {
    statement.setArray(++index, statement.getConnection().createArrayOf(type, values));
    return this;
  }
}
