package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.RecordId;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lists rows in the order of the primary key, and counts them. */
final class Reader {

  private final Runner runner;
  private final Dialect dialect;
  private final Tables tables;
  private final String isThere;
  private final String isInDoubt;

  Reader(Runner runner, Dialect dialect, Tables tables, long toleranceMillis) {
    this.runner = runner;
    this.dialect = dialect;
    this.tables = tables;
    this.isThere = "(state not between 2 and 4 or expires_ms > " + dialect.nowMillis() + ")";
    this.isInDoubt =
        "(state = 1 and lapse <> 1 and until_ms <= "
            + dialect.nowMillis()
            + " - "
            + toleranceMillis
            + ")";
  }

  long millis() {
    return runner.run(
        connection -> {
          try (PreparedStatement statement =
                  connection.prepareStatement("select " + dialect.nowMillis());
              ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
          }
        });
  }

  Page list(Query query, @Nullable String cursor) {
    RecordId after = cursor == null ? null : place(cursor);
    List<ClaimRecord> records = runner.run(connection -> list(connection, query, after));
    return new Page(
        records, records.size() < query.limit() ? null : cursor(records.get(records.size() - 1)));
  }

  private List<ClaimRecord> list(Connection connection, Query query, @Nullable RecordId after)
      throws SQLException {
    String sql =
        tables.in(
            "select "
                + Row.COLUMNS
                + " from {claim} where "
                + isThere
                + states(query.states())
                + (query.onlyInDoubt() ? " and " + isInDoubt : "")
                + (query.scope() == null ? "" : " and scope = ?")
                + (after == null ? "" : " and (scope > ? or (scope = ? and k > ?))")
                + " order by scope, k"
                + dialect.atMost());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      Params params = new Params(statement);
      if (query.scope() != null) {
        dialect.setScope(params, query.scope());
      }
      if (after != null) {
        dialect.setScope(params, after.scope());
        dialect.setScope(params, after.scope());
        params.bytes(after.key().toBytes());
      }
      params.number(query.limit());
      List<ClaimRecord> records = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          records.add(Row.read(rows, 1).record());
        }
      }
      return records;
    }
  }

  /** The events of a key, oldest first, and its record at the end; nothing if that is absent. */
  List<ClaimRecord> history(RecordId id, Optional<ClaimRecord> current) {
    if (current.isEmpty()) {
      return List.of();
    }
    String sql =
        tables.in(
            "select "
                + Row.EVENT_COLUMNS
                + " from {event} where scope = ? and k = ? order by token,"
                + " case when state = 1 then 0 else 1 end");
    return runner.run(
        connection -> {
          List<ClaimRecord> versions = new ArrayList<>();
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Params params = new Params(statement);
            dialect.setScope(params, id.scope());
            params.bytes(id.key().toBytes());
            try (ResultSet rows = statement.executeQuery()) {
              while (rows.next()) {
                ClaimRecord version = Row.read(rows, 1).record();
                if (isBefore(version, current.get())) {
                  versions.add(version);
                }
              }
            }
          }
          versions.add(current.get());
          return versions;
        });
  }

  /** What came after the record was read, and the event of the record itself, are left out. */
  private static boolean isBefore(ClaimRecord event, ClaimRecord current) {
    return event.token() < current.token()
        || (event.token() == current.token()
            && event.state() == ClaimState.CLAIMED
            && current.state() != ClaimState.CLAIMED);
  }

  private static String states(Set<ClaimState> states) {
    if (states.size() == ClaimState.values().length) {
      return "";
    }
    String known =
        new TreeSet<>(states)
            .stream()
                .filter(it -> it != ClaimState.UNKNOWN)
                .map(it -> Integer.toString(it.code()))
                .collect(Collectors.joining(", ", "state in (-1, ", ")"))
                .replace(", )", ")");
    return states.contains(ClaimState.UNKNOWN)
        ? " and (" + known + " or state not between 1 and 4)"
        : " and " + known;
  }

  private static String cursor(ClaimRecord record) {
    Key key = record.key();
    return record.scope() + ":" + (key == null ? "" : HexFormat.of().formatHex(key.toBytes()));
  }

  private static RecordId place(String cursor) {
    int colon = cursor.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException(
          "cursor must be one that a page has returned, was '" + cursor + "'");
    }
    return new RecordId(
        Scope.of(cursor.substring(0, colon)),
        Key.fromStored(HexFormat.of().parseHex(cursor.substring(colon + 1))));
  }

  Map<ClaimState, Long> totals() {
    String sql =
        tables.in("select state, count(*) from {claim} where " + isThere + " group by state");
    return runner.run(
        connection -> {
          Map<ClaimState, Long> totals = new EnumMap<>(ClaimState.class);
          try (PreparedStatement statement = connection.prepareStatement(sql);
              ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
              totals.merge(ClaimState.ofCode(rows.getInt(1)), rows.getLong(2), Long::sum);
            }
          }
          return totals;
        });
  }

  /** The scopes, each found by a step into the primary key. */
  Set<Scope> scopes() {
    Set<Scope> scopes = new LinkedHashSet<>();
    Optional<Scope> last = Optional.empty();
    do {
      Optional<Scope> after = last;
      last = runner.run(connection -> nextScope(connection, after));
      last.ifPresent(scopes::add);
    } while (last.isPresent());
    return scopes;
  }

  private Optional<Scope> nextScope(Connection connection, Optional<Scope> after)
      throws SQLException {
    String sql = "select min(scope) from {claim}" + (after.isPresent() ? " where scope > ?" : "");
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      if (after.isPresent()) {
        dialect.setScope(new Params(statement), after.get());
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        byte[] name = rows.getBytes(1);
        return name == null
            ? Optional.empty()
            : Optional.of(Scope.of(new String(name, StandardCharsets.US_ASCII)));
      }
    }
  }
}
