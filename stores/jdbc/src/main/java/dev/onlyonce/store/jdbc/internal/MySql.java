package dev.onlyonce.store.jdbc.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.RecordId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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

  /** What a statement has of its own is less. */
  private static final long STATEMENT_BYTES = 16 * 1024;

  private static final int PACKET_TOO_LARGE = 1153;
  private static final int DUPLICATE_RECORD_CHANGED = 1020;
  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int LOCKED_NOT_WAITED = 3572; // MySQL
  private static final List<Integer> NO_ROOM = List.of(1021, 1037, 1041, 1114);
  private static final List<Integer> GONE = List.of(1053, 1077, 1290, 1836, 1927, 2006, 2013, 4031);

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

  /** Without the hint a small table is read whole, and all of its rows are locked. */
  static final String CLAIM = "{claim} c force index (primary)";

  /** Reads rows as they are, whatever the transaction's snapshot. */
  static final String LOCKED = " lock in share mode";

  private static final String JOINED = " i where 1 = 1"; // so that the next "on" is no join's

  private final Tables tables;
  private final Text text;
  private final String insert;
  private final String onDuplicate;
  private final Columns<Item.Claim> claimed;
  private final boolean hasValues;
  private final int mostBytes;
  private final MySqlPurge purge;

  /**
   * @param isSimultaneous whether the server assigns by {@code SIMULTANEOUS_ASSIGNMENT}
   * @param packetBytes the server's {@code max_allowed_packet}
   * @param hasValues whether to the server a list of values is a table
   */
  MySql(
      Tables tables,
      Text text,
      long toleranceMillis,
      boolean isSimultaneous,
      long packetBytes,
      boolean hasValues) {
    // A driver that writes values into the statement's text may make two bytes of each.
    long most = (packetBytes - Math.min(packetBytes / 2, STATEMENT_BYTES)) / 2;
    this.mostBytes = (int) Math.min(most, Integer.MAX_VALUE);
    this.tables = tables;
    this.text = text;
    this.insert = tables.in(INSERT.formatted(MICROS, MILLIS, Item.NEVER));
    this.onDuplicate = tables.in(onDuplicate(toleranceMillis, isSimultaneous));
    this.claimed = claimed(text);
    this.hasValues = hasValues;
    this.purge = new MySqlPurge(tables, hasValues);
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

  private static Columns<Item.Claim> claimed(Text text) {
    return new Columns<Item.Claim>("k", Item.Claim::k)
        .bytes("scope", it -> scope(it.scope()))
        .number("state", it -> (long) it.state())
        .number("lapse", it -> (long) it.request().lapse().code())
        .number("request", it -> it.request().requestId())
        .number("expected", Item.Claim::expected)
        .number("wait", it -> it.request().settleNow() == null ? it.lease() : it.keep())
        .bytes("fingerprint", Item.Claim::fingerprint)
        .number("kind", it -> (long) Row.Results.kind(it.result()))
        .bytes("type", it -> Row.Results.type(it.result()))
        .bytes("result", it -> Row.Results.bytes(it.result()))
        .text("shown", it -> text.of(it.key()));
  }

  static byte[] scope(Scope scope) {
    return scope.name().getBytes(US_ASCII);
  }

  /** Prepares the statement that claims, with something before and after it. */
  final PreparedStatement prepareClaim(
      Connection connection, String before, List<Item.Claim> items, long stamp, String after)
      throws SQLException {
    Columns.Filled<Item.Claim> table = claimed.of(items);
    PreparedStatement statement =
        connection.prepareStatement(
            before + insert + "(" + table.rows(hasValues) + ")" + JOINED + onDuplicate + after);
    table.setRows(new Params(statement).number(stamp).text(text.owner()));
    return statement;
  }

  @Override
  public List<Look> claim(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    return Atomic.on(
        connection,
        () -> {
          try (PreparedStatement statement = prepareClaim(connection, "", items, stamp, "")) {
            statement.executeUpdate();
          }
          List<RecordId> ids = items.stream().map(Item::id).toList();
          // They are locked already; so they are read as they are, whatever the snapshot.
          List<Look> looks = find(connection, ids, LOCKED);
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

  private static final Columns<Item.Settle> SETTLED =
      new Columns<Item.Settle>("k", Item.Settle::k)
          .bytes("scope", it -> scope(it.scope()))
          .number("token", Item.Settle::token)
          .number("state", it -> (long) it.state())
          .number("wait", Item.Settle::after)
          .number("keep", Item.Settle::keep)
          .number("kind", it -> (long) Row.Results.kind(it.result()))
          .bytes("type", it -> Row.Results.type(it.result()))
          .bytes("result", it -> Row.Results.bytes(it.result()))
          .number("factor", it -> (long) it.attemptFactor())
          .number("adding", it -> (long) it.attemptChange());

  private static final String SETTLE =
      """
      set c.attempt = c.attempt * i.factor + i.adding,
        c.until_ms = case i.state when 4 then %1$s + i.wait else 0 end,
        c.expires_ms = %1$s + greatest(i.keep, i.wait), c.updated_ms = %1$s,
        c.result_kind = i.kind, c.result_type = i.type, c.result = i.result,
        c.checkpoint = case i.state when 2 then null else c.checkpoint end,
        c.stamp = ?, c.state = i.state
      """
          .formatted(MILLIS);

  @Override
  public BitSet settle(Connection connection, List<Item.Settle> items, long stamp, boolean isInside)
      throws SQLException {
    return change(connection, SETTLED.of(items), SETTLE, items.size(), stamp);
  }

  private static final Columns<Item.Renew> RENEWED =
      new Columns<Item.Renew>("k", Item.Renew::k)
          .bytes("scope", it -> scope(it.scope()))
          .number("token", Item.Renew::token)
          .number("lease", Item.Renew::lease)
          .bytes("checkpoint", it -> it.renewal().checkpoint());

  private static final String RENEW =
      """
      set c.until_ms = %1$s + i.lease, c.updated_ms = %1$s,
        c.checkpoint = coalesce(i.checkpoint, c.checkpoint), c.stamp = ?
      """
          .formatted(MILLIS);

  @Override
  public BitSet renew(Connection connection, List<Item.Renew> items, long stamp)
      throws SQLException {
    return change(connection, RENEWED.of(items), RENEW, items.size(), stamp);
  }

  @Override
  public BitSet renewFree(Connection connection, List<Item.Renew> items, long stamp)
      throws SQLException {
    return free(connection, items, free -> renew(connection, free, stamp));
  }

  @Override
  public BitSet settleFree(Connection connection, List<Item.Settle> items, long stamp)
      throws SQLException {
    return free(connection, items, free -> settle(connection, free, stamp, false));
  }

  private interface Change<I> {
    BitSet of(List<I> items) throws SQLException;
  }

  /** Changes those whose rows nobody else has locked. */
  private <I extends Item> BitSet free(Connection connection, List<I> items, Change<I> change)
      throws SQLException {
    return Atomic.on(
        connection,
        () -> {
          List<I> free = lockFree(connection, items);
          BitSet held = free.isEmpty() ? new BitSet() : change.of(free);
          return free.size() == items.size() ? held : new BitSet();
        });
  }

  /** Locks the rows that are not; returns their items. An {@code UPDATE} waits for each. */
  private <I extends Item> List<I> lockFree(Connection connection, List<I> items)
      throws SQLException {
    Columns.Filled<Sought> table = sought(items.stream().map(Item::id).toList());
    String sql =
        "select i.ord from ("
            + table.rows(hasValues)
            + ") i straight_join "
            + CLAIM
            + " on c.scope = i.scope and c.k = i.k for update skip locked";
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      table.setRows(new Params(statement));
      List<I> free = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          free.add(items.get(rows.getInt(1)));
        }
      }
      return free;
    }
  }

  /** The server counts what it has changed; which ones, only the rows tell. */
  private BitSet change(
      Connection connection, Columns.Filled<?> table, String set, int size, long stamp)
      throws SQLException {
    String sql =
        patience()
            + "update ("
            + table.rows(hasValues)
            + ") i straight_join "
            + CLAIM
            + " on c.scope = i.scope and c.k = i.k and c.token = i.token and c.state = 1 "
            + set;
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      table.setRows(new Params(statement)).number(stamp);
      BitSet held = new BitSet();
      held.set(0, statement.executeUpdate() == size ? size : 0);
      return held;
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

  @Override
  public List<Look> find(Connection connection, List<RecordId> ids) throws SQLException {
    return find(connection, ids, connection.getAutoCommit() ? "" : LOCKED);
  }

  private record Sought(int ord, RecordId id) {}

  private static final Columns<Sought> SOUGHT =
      new Columns<Sought>("k", it -> it.id.key().toBytes())
          .number("ord", it -> (long) it.ord)
          .bytes("scope", it -> scope(it.id.scope()));

  private static Columns.Filled<Sought> sought(List<RecordId> ids) {
    return SOUGHT.of(
        IntStream.range(0, ids.size()).mapToObj(it -> new Sought(it, ids.get(it))).toList());
  }

  /**
   * @param lock the end of the query, by which it reads rows as they are and not as its transaction
   *     began
   */
  final List<Look> find(Connection connection, List<RecordId> ids, String lock)
      throws SQLException {
    Columns.Filled<Sought> table = sought(ids);
    String sql =
        "select i.ord, "
            + MICROS
            + ", (select token_floor from {meta} where id = 1), "
            + Row.values("c.")
            + " from ("
            + table.rows(hasValues)
            + ") i left join "
            + CLAIM
            + " on c.scope = i.scope and c.k = i.k"
            + lock;
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      table.setRows(new Params(statement));
      Look[] looks = new Look[ids.size()];
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          int ord = rows.getInt(1);
          Row row = Row.read(rows, 4, ids.get(ord));
          looks[ord] = new Look(rows.getLong(2), rows.getLong(3), row);
        }
      }
      return List.of(looks);
    }
  }

  private static final Columns<Item> CHANGED =
      new Columns<Item>("k", Item::k).bytes("scope", it -> scope(it.scope()));

  @Override
  public void record(Connection connection, List<? extends Item> items, long stamp)
      throws SQLException {
    Columns.Filled<Item> table = CHANGED.of(items);
    String sql =
        "insert into {event} ("
            + Row.EVENT_NAMES
            + ") select "
            + Row.EVENT_VALUES
            + " from ("
            + table.rows(hasValues)
            + ") i straight_join "
            + CLAIM
            + " on c.scope = i.scope and c.k = i.k and c.stamp = ?"
            + " where 1 = 1 on duplicate key update {event}.state = {event}.state";
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      table.setRows(new Params(statement)).number(stamp);
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
  public int mostBytes() {
    return mostBytes;
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
    if (code == PACKET_TOO_LARGE) {
      return Fault.TOO_LARGE;
    }
    if (NO_ROOM.contains(code)) {
      return Fault.FULL;
    }
    return GONE.contains(code) ? Fault.CONNECTION_LOST : Faults.byClass(e);
  }
}
