package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.RecordId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * MySQL and MariaDB: a claim is {@code INSERT ... ON DUPLICATE KEY UPDATE}, a settlement an {@code
 * UPDATE} over a table of the items.
 *
 * <h2>The order of assignments</h2>
 *
 * <p>Usually they are made from left to right, and later ones see what earlier ones have written;
 * with {@code sql_mode=SIMULTANEOUS_ASSIGNMENT} they all see the old row. So the stamp, a number
 * that no other statement has, is taken first if the key may be claimed, and every other column if
 * the stamp is there already. In the other mode every column asks whether the key may be claimed,
 * which costs the server a millisecond of reading; a session that is in it though the store was
 * opened in another one takes nothing.
 *
 * <h2>MySQL</h2>
 *
 * <p>It has no {@code RETURNING}: the rows are read by a second statement, in one transaction with
 * the first, so that nobody changes them in between.
 */
class MySql implements Dialect {

  static final String MICROS = "timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))";
  static final String MILLIS = "(" + MICROS + " div 1000)";

  private static final int DUPLICATE_RECORD_CHANGED = 1020;
  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int LOCKED_NOT_WAITED = 3572; // MySQL
  private static final List<Integer> NO_ROOM = List.of(1021, 1037, 1041, 1114);
  private static final List<Integer> GONE = List.of(1053, 1077, 1290, 1836, 1927, 2006, 2013, 4031);

  private static final String[] CLAIMED = {
    "scope",
    "k",
    "state",
    "lapse",
    "request",
    "expected",
    "wait",
    "fingerprint",
    "kind",
    "type",
    "result",
    "shown"
  };

  private static final String INSERT =
      """
      insert into {claim} (scope, k, token, state, attempt, lapse, request, stamp, expected,
        until_ms, expires_ms, created_ms, updated_ms, fingerprint, result_kind, result_type,
        result, checkpoint, owner, key_text)
      select i.scope, i.k, greatest(%1$s, n.after_floor), i.state, 1, i.lapse, i.request, ?,
        i.expected, if(i.state = 1, %2$s + i.wait, 0), if(i.state = 1, %3$d, %2$s + i.wait),
        %2$s, %2$s, i.fingerprint, i.kind, i.type, i.result, null, ?, i.shown
      from (select token_floor + 1 as after_floor from {meta} where id = 1) n straight_join
      """;
  private static final String JOINED = " i where 1 = 1"; // so that the next "on" is no join's

  private final Tables tables;
  private final Text text;
  private final String insert;
  private final String onDuplicate;
  private final MySqlPurge purge;

  /**
   * @param isSimultaneous whether the server assigns by {@code SIMULTANEOUS_ASSIGNMENT}
   */
  MySql(Tables tables, Text text, long toleranceMillis, boolean isSimultaneous) {
    this.tables = tables;
    this.text = text;
    this.insert = tables.in(INSERT.formatted(MICROS, MILLIS, Item.NEVER));
    this.onDuplicate = tables.in(onDuplicate(toleranceMillis, isSimultaneous));
    this.purge = new MySqlPurge(tables);
  }

  private static String onDuplicate(long toleranceMillis, boolean isSimultaneous) {
    Rules rules = new Rules("{claim}.", "values(*)", "values(updated_ms)");
    String may = rules.mayBeClaimed(toleranceMillis);
    String mode = isSimultaneous ? "" : "@@sql_mode not like '%SIMULTANEOUS%' and ";
    String isTaken = "{claim}.stamp = values(stamp)" + (isSimultaneous ? " or " + may : "");
    return " on duplicate key update {claim}.stamp = if(%s%s, values(stamp), {claim}.stamp), "
            .formatted(mode, may)
        + rules.values().entrySet().stream()
            .map(
                it ->
                    "{claim}.%1$s = if(%2$s, %3$s, {claim}.%1$s)"
                        .formatted(it.getKey(), isTaken, it.getValue()))
            .collect(Collectors.joining(", "));
  }

  @Override
  public void setScope(Params params, Scope scope) throws SQLException {
    params.scope(scope);
  }

  @Override
  public String nowMillis() {
    return MILLIS;
  }

  /** What a statement begins with that sets how long it waits for a row; MySQL has nothing. */
  String patience() {
    return "";
  }

  /** The statement that claims, without an end. */
  final String claimStatement(List<Item.Claim> items) {
    return insert + table(items.size(), CLAIMED) + JOINED + onDuplicate;
  }

  final void setItems(PreparedStatement statement, List<Item.Claim> items, long stamp)
      throws SQLException {
    Params params = new Params(statement).number(stamp).text(text.owner());
    for (Item.Claim item : items) {
      params
          .scope(item.scope())
          .bytes(item.k())
          .number(item.state())
          .number(item.request().lapse().code())
          .number(item.request().requestId())
          .numberOrNull(item.expected())
          .number(item.request().settleNow() == null ? item.lease() : item.keep())
          .bytes(item.fingerprint())
          .number(Row.Results.kind(item.result()))
          .bytes(Row.Results.type(item.result()))
          .bytes(Row.Results.bytes(item.result()))
          .text(text.of(item.key()));
    }
  }

  @Override
  public List<Look> claim(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    return Atomic.on(
        connection,
        () -> {
          try (PreparedStatement statement = connection.prepareStatement(claimStatement(items))) {
            setItems(statement, items, stamp);
            statement.executeUpdate();
          }
          List<RecordId> ids = items.stream().map(Item::id).toList();
          // They are locked already; so they are read as they are, whatever the snapshot.
          List<Look> looks = find(connection, ids, " lock in share mode");
          return looks.stream().map(it -> it.by(stamp)).toList();
        });
  }

  /**
   * Claims with the shortest wait for locks that there is. One busy key fails the statement, not
   * the transaction; then the keys are claimed one by one.
   */
  @Override
  public List<Look> claimInside(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    try {
      return claimHurried(connection, items, stamp);
    } catch (SQLException e) {
      if (e.getErrorCode() != LOCK_WAIT_TIMEOUT) {
        throw e;
      }
    }
    if (items.size() == 1) {
      return List.of(Look.BUSY);
    }
    List<Look> looks = new ArrayList<>();
    for (Item.Claim item : items) {
      looks.addAll(claimInside(connection, List.of(item), stamp));
    }
    return looks;
  }

  /** MySQL waits a second at least. */
  List<Look> claimHurried(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    long seconds;
    try (Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("select @@innodb_lock_wait_timeout")) {
        rows.next();
        seconds = rows.getLong(1);
      }
      statement.execute("set innodb_lock_wait_timeout = 1");
      try {
        return claim(connection, items, stamp);
      } finally {
        statement.execute("set innodb_lock_wait_timeout = " + seconds);
      }
    }
  }

  @Override
  public void savePosition(
      Connection connection, Scope consumer, byte[] source, PositionStore.Position position)
      throws SQLException {
    String sql =
        tables.in(
            """
            insert into {position} (consumer, source, epoch, next) values (?, ?, ?, ?)
            on duplicate key update
              next = case when values(epoch) > epoch then values(next)
                when values(epoch) = epoch then greatest(next, values(next)) else next end,
              epoch = greatest(epoch, values(epoch))
            """);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      new Params(statement)
          .scope(consumer)
          .bytes(source)
          .number(position.epoch())
          .number(position.next());
      statement.executeUpdate();
    }
  }

  /** A table of the items: the first names the columns. */
  static String table(int size, String... columns) {
    String first =
        Arrays.stream(columns)
            .map(it -> "? as " + it)
            .collect(Collectors.joining(", ", "select ", ""));
    String other = " union all select ?" + ", ?".repeat(columns.length - 1);
    return "(" + first + other.repeat(size - 1) + ")";
  }

  @Override
  public BitSet settle(Connection connection, List<Item.Settle> items, long stamp)
      throws SQLException {
    String sql =
        tables.in(
            patience()
                + "update "
                + table(
                    items.size(),
                    "scope",
                    "k",
                    "token",
                    "state",
                    "wait",
                    "keep",
                    "kind",
                    "type",
                    "result",
                    "factor",
                    "adding")
                + """
                 i straight_join {claim} c
                on c.scope = i.scope and c.k = i.k and c.token = i.token and c.state = 1
                set c.attempt = c.attempt * i.factor + i.adding,
                  c.until_ms = case i.state when 4 then %1$s + i.wait else 0 end,
                  c.expires_ms = %1$s + greatest(i.keep, i.wait), c.updated_ms = %1$s,
                  c.result_kind = i.kind, c.result_type = i.type, c.result = i.result,
                  c.checkpoint = case i.state when 2 then null else c.checkpoint end,
                  c.stamp = ?, c.state = i.state
                """
                    .formatted(MILLIS));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      Params params = new Params(statement);
      for (Item.Settle item : items) {
        params
            .scope(item.scope())
            .bytes(item.k())
            .number(item.token())
            .number(item.state())
            .number(item.after())
            .number(item.keep())
            .number(Row.Results.kind(item.result()))
            .bytes(Row.Results.type(item.result()))
            .bytes(Row.Results.bytes(item.result()))
            .number(item.attemptFactor())
            .number(item.attemptChange());
      }
      params.number(stamp);
      return allOrUnknown(statement.executeUpdate(), items.size());
    }
  }

  @Override
  public BitSet renew(Connection connection, List<Item.Renew> items, long stamp)
      throws SQLException {
    String sql =
        tables.in(
            patience()
                + "update "
                + table(items.size(), "scope", "k", "token", "lease", "checkpoint")
                + """
                 i straight_join {claim} c
                on c.scope = i.scope and c.k = i.k and c.token = i.token and c.state = 1
                set c.until_ms = %1$s + i.lease, c.updated_ms = %1$s,
                  c.checkpoint = coalesce(i.checkpoint, c.checkpoint), c.stamp = ?
                """
                    .formatted(MILLIS));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      Params params = new Params(statement);
      for (Item.Renew item : items) {
        params
            .scope(item.scope())
            .bytes(item.k())
            .number(item.token())
            .number(item.lease())
            .bytes(item.renewal().checkpoint());
      }
      params.number(stamp);
      return allOrUnknown(statement.executeUpdate(), items.size());
    }
  }

  @Override
  public BitSet put(Connection connection, List<Item.Put> items, long stamp) throws SQLException {
    String isSmaller = "stamp = values(stamp) or token < values(token)";
    String values = "(" + "?, ".repeat(Row.SET.size()) + "?)";
    String sql =
        "insert into {claim} ("
            + String.join(", ", Row.SET)
            + ", key_text) values "
            + String.join(", ", Collections.nCopies(items.size(), values))
            + " on duplicate key update stamp = if(token < values(token), values(stamp), stamp), "
            + Row.SET.stream()
                .filter(it -> !List.of("stamp", "scope", "k").contains(it))
                .map(it -> it + " = if(" + isSmaller + ", values(" + it + "), " + it + ")")
                .collect(Collectors.joining(", "));
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      Params params = new Params(statement);
      for (Item.Put item : items) {
        new Row(item.record(), stamp, item.record().checkpoint()).set(params);
        params.text(text.of(item.key()));
      }
      statement.executeUpdate();
      return new BitSet();
    }
  }

  /** The server counts what it has changed; which ones, only the rows tell. */
  private static BitSet allOrUnknown(int changed, int size) {
    BitSet held = new BitSet();
    held.set(0, changed == size ? size : 0);
    return held;
  }

  @Override
  public List<Look> find(Connection connection, List<RecordId> ids) throws SQLException {
    return find(connection, ids, "");
  }

  private List<Look> find(Connection connection, List<RecordId> ids, String lock)
      throws SQLException {
    String sql =
        tables.in(
            "select i.ord, "
                + MICROS
                + ", (select token_floor from {meta} where id = 1), "
                + Row.columns("c.")
                + " from "
                + table(ids.size(), "ord", "scope", "k")
                + " i left join {claim} c on c.scope = i.scope and c.k = i.k"
                + lock);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      Params params = new Params(statement);
      for (int i = 0; i < ids.size(); i++) {
        RecordId id = ids.get(i);
        params.number(i).scope(id.scope()).bytes(id.key().toBytes());
      }
      Look[] looks = new Look[ids.size()];
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          looks[rows.getInt(1)] = new Look(rows.getLong(2), rows.getLong(3), Row.read(rows, 4));
        }
      }
      return List.of(looks);
    }
  }

  @Override
  public void record(Connection connection, List<? extends Item> items, long stamp)
      throws SQLException {
    String sql =
        "insert into {event} ("
            + Row.EVENT_NAMES
            + ") select "
            + Row.EVENT_VALUES
            + " from "
            + table(items.size(), "scope", "k")
            + " i straight_join {claim} c on c.scope = i.scope and c.k = i.k and c.stamp = ?"
            + " where 1 = 1 on duplicate key update {event}.state = {event}.state";
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      Params params = new Params(statement);
      for (Item item : items) {
        params.scope(item.scope()).bytes(item.k());
      }
      params.number(stamp);
      statement.executeUpdate();
    }
  }

  @Override
  public int purgeEvents(Connection connection, int limit, long keptMillis) throws SQLException {
    String sql =
        "delete from {event} where updated_ms <= " + MILLIS + " - ? order by updated_ms limit ?";
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      new Params(statement).number(keptMillis).number(limit);
      return statement.executeUpdate();
    }
  }

  @Override
  public int purge(Connection connection, int limit, long graceMillis) throws SQLException {
    return purge.step(connection, limit, graceMillis);
  }

  @Override
  public boolean survivesLocks() {
    return true;
  }

  @Override
  public Fault fault(SQLException e) {
    int code = e.getErrorCode();
    if (code == DEADLOCK || code == DUPLICATE_RECORD_CHANGED) {
      return Fault.CONFLICT;
    }
    if (code == LOCK_WAIT_TIMEOUT || code == LOCKED_NOT_WAITED) {
      return Fault.LOCKED;
    }
    if (NO_ROOM.contains(code)) {
      return Fault.FULL;
    }
    return GONE.contains(code) ? Fault.CONNECTION_LOST : Faults.byClass(e);
  }
}
