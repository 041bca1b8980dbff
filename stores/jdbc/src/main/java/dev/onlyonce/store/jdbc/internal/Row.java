package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.RecordId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of claims.
 *
 * @param record what it says
 * @param stamp of the statement that wrote it
 * @param checkpoint the stored one, also where the record, being DONE, has none any more
 */
record Row(ClaimRecord record, long stamp, byte @Nullable [] checkpoint) {

  /** Returns what the row is found by. */
  RecordId id() {
    Key key = record.key();
    if (key == null) {
      throw new IllegalStateException("a row has its key");
    }
    return new RecordId(record.scope(), key);
  }

  /** What is found by scope and key. */
  private static final List<String> VALUES =
      List.of(
          "token",
          "state",
          "attempt",
          "lapse",
          "request",
          "stamp",
          "until_ms",
          "expires_ms",
          "created_ms",
          "updated_ms",
          "fingerprint",
          "result_kind",
          "result_type",
          "result",
          "checkpoint",
          "owner");

  /** The columns that {@link #set} sets, in its order. */
  static final List<String> SET = Stream.concat(VALUES.stream(), Stream.of("scope", "k")).toList();

  /** The columns that {@link #read(ResultSet, int)} reads, in its order. */
  static final String COLUMNS = String.join(", ", SET);

  /** Returns those that are read where scope and key are known, each with this in front. */
  static String values(String prefix) {
    return VALUES.stream().map(it -> prefix + it).collect(Collectors.joining(", "));
  }

  /** The same of the table of events, which has no checkpoints. */
  static final String EVENT_COLUMNS = COLUMNS.replace("checkpoint", "null");

  /** The columns of an event, in the order of {@link #EVENT_VALUES}. */
  static final String EVENT_NAMES = COLUMNS.replace("checkpoint, ", "");

  /**
   * What an event takes of a row {@code c}. The result of a key that is done is kept in its row
   * only; why a key has failed is part of its history.
   */
  static final String EVENT_VALUES =
      SET.stream()
          .map(it -> "c." + it)
          .collect(Collectors.joining(", "))
          .replace("c.checkpoint, ", "")
          .replace(
              "c.result_kind",
              "case when c.state = 2 and c.result_kind = 1 then 2 else c.result_kind end")
          .replace("c.result_type", "case when c.state = 3 then c.result_type end")
          .replace("c.result,", "case when c.state = 3 then c.result end,");

  /** Reads the row whose {@link #COLUMNS} begin at this index. */
  static Row read(ResultSet rows, int first) throws SQLException {
    Scope scope = Scope.of(new String(rows.getBytes(first + VALUES.size()), US_ASCII));
    Key key = Key.fromStored(rows.getBytes(first + VALUES.size() + 1));
    return read(rows, first, scope, key);
  }

  /** Reads a row of which only the values were selected; null where an outer join found none. */
  static @Nullable Row read(ResultSet rows, int first, RecordId id) throws SQLException {
    rows.getLong(first);
    return rows.wasNull() ? null : read(rows, first, id.scope(), id.key());
  }

  private static Row read(ResultSet rows, int first, Scope scope, Key key) throws SQLException {
    ClaimState state = ClaimState.ofCode(rows.getInt(first + 1));
    long until = rows.getLong(first + 6);
    byte[] fingerprint = rows.getBytes(first + 10);
    byte[] checkpoint = rows.getBytes(first + 14);
    ClaimRecord record =
        new ClaimRecord(
            scope,
            key,
            state,
            rows.getLong(first),
            rows.getLong(first + 4),
            rows.getInt(first + 2),
            state == ClaimState.CLAIMED ? until : 0,
            state == ClaimState.RELEASED ? until : 0,
            state.isSettled() ? rows.getLong(first + 7) : 0,
            Lapse.ofCode(rows.getInt(first + 3)),
            fingerprint == null ? null : Fingerprint.ofBytes(fingerprint),
            Results.read(rows, first + 11),
            state == ClaimState.DONE ? null : checkpoint,
            rows.getString(first + 15),
            rows.getLong(first + 8),
            rows.getLong(first + 9));
    return new Row(record, rows.getLong(first + 5), checkpoint);
  }

  /** Sets the columns, first those that change, then scope and key; scopes are bytes here. */
  void set(Params params) throws SQLException {
    Item.Put item = new Item.Put(record);
    params
        .number(record.token())
        .number(record.state().code())
        .number(record.attempt())
        .number(record.lapse().code())
        .number(record.requestId())
        .number(stamp)
        .number(item.until())
        .number(item.expires())
        .number(record.createdAtMillis())
        .number(record.updatedAtMillis())
        .bytes(item.fingerprint())
        .number(Results.kind(record.result()))
        .bytes(Results.type(record.result()))
        .bytes(Results.bytes(record.result()))
        .bytes(checkpoint)
        .text(new Text(true, record.owner()).owner())
        .scope(record.scope())
        .bytes(item.k());
  }

  /** The columns of a result. */
  static final class Results {
    private static final int NONE = 0;
    private static final int VALUE = 1;
    private static final int NOT_KEPT = 2;

    private Results() {}

    static int kind(Result result) {
      if (result instanceof Result.Value) {
        return VALUE;
      }
      return result instanceof Result.None ? NONE : NOT_KEPT;
    }

    static byte @Nullable [] type(Result result) {
      return result instanceof Result.Value value ? value.type().getBytes(UTF_8) : null;
    }

    static byte @Nullable [] bytes(Result result) {
      return result instanceof Result.Value value ? value.bytes() : null;
    }

    static Result read(ResultSet rows, int first) throws SQLException {
      int kind = rows.getInt(first);
      if (kind == NONE) {
        return Result.NONE;
      }
      byte[] type = rows.getBytes(first + 1);
      byte[] bytes = rows.getBytes(first + 2);
      return kind == VALUE && type != null && bytes != null
          ? new Result.Value(new String(type, UTF_8), bytes)
          : Result.NOT_KEPT;
    }
  }
}
