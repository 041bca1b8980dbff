package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.RecordId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * PostgreSQL: each verb is one statement, or two where keys to be claimed are there already, with
 * arrays for parameters.
 *
 * <h2>Settling</h2>
 *
 * <p>Rows are locked one after the other, in the order of all, before any of them is updated:
 * {@code UPDATE ... FROM} alone takes its locks in whatever order the join brings. The joins are
 * lateral so that a plan that was made while the table was small does not read all of it later.
 *
 * <h2>Waiting</h2>
 *
 * <p>A statement that is a transaction of its own sets {@code lock_timeout} for itself. Inside the
 * caller's transaction, where the setting would stay, a claim passes by what is locked.
 */
final class PostgreSql implements Dialect {

  static final String MICROS = "(extract(epoch from statement_timestamp()) * 1000000)::bigint";
  static final String MILLIS = "(floor(extract(epoch from statement_timestamp()) * 1000))::bigint";

  private static final String POSITION =
      """
      insert into {position} as p (consumer, source, epoch, next) values (?, ?, ?, ?)
      on conflict (consumer, source) do update set epoch = excluded.epoch, next = excluded.next
      where (excluded.epoch, excluded.next) > (p.epoch, p.next)
      """;

  private final Tables tables;
  private final PostgreSqlClaim claim;
  private final String settle;
  private final String settleInside;
  private final String settleFree;
  private final String renew;
  private final String renewFree;
  private final String find;
  private final Columns<Item.Put> columns;
  private final String put;
  private final String position;
  private final PostgreSqlPurge purge;

  PostgreSql(Tables tables, Text text, long toleranceMillis, Duration lockWait) {
    String patience =
        " cross join (select set_config('lock_timeout', '%d', true)) p"
            .formatted(Math.max(1, Math.min(Limits.millis(lockWait), Integer.MAX_VALUE)));
    this.tables = tables;
    this.position = tables.in(POSITION);
    this.claim = new PostgreSqlClaim(tables, text, toleranceMillis, patience, this::find);
    this.settle = tables.in(settleStatement(patience, ""));
    this.settleInside = tables.in(settleStatement("", ""));
    this.settleFree = tables.in(settleStatement("", " skip locked"));
    this.renew = tables.in(renewStatement(patience, ""));
    this.renewFree = tables.in(renewStatement("", " skip locked"));
    this.columns = columns(text);
    this.put = tables.in(putStatement(columns, patience));
    this.find = tables.in(findStatement());
    this.purge = new PostgreSqlPurge(tables, patience);
  }

  @Override
  public void setScope(Params params, Scope scope) throws SQLException {
    params.text(scope.name());
  }

  @Override
  public String nowMillis() {
    return MILLIS;
  }

  @Override
  public List<Look> claim(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    return claim.claim(connection, items, stamp);
  }

  @Override
  public List<Look> claimInside(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    return claim.claimInside(connection, items, stamp);
  }

  private static final Columns<Item.Settle> SETTLED =
      new Columns<Item.Settle>("k", Item.Settle::k)
          .text("scope", it -> it.scope().name())
          .number("token", Item.Settle::token)
          .number("state", it -> (long) it.state())
          .number("after", Item.Settle::after)
          .number("keep", Item.Settle::keep)
          .number("kind", it -> (long) Row.Results.kind(it.result()))
          .bytes("type", it -> Row.Results.type(it.result()))
          .bytes("result", it -> Row.Results.bytes(it.result()))
          .number("factor", it -> (long) it.attemptFactor())
          .number("change", it -> (long) it.attemptChange());

  /** The statement; alone in its transaction it brings how long it waits for a row. */
  private static String settleStatement(String patience, String unless) {
    return """
        with l as materialized (
          select i.*, c.t from (
            select u.* from (%3$s) u %2$s order by ord) i
          cross join lateral (
            select ctid as t from {claim} c
            where c.scope = i.scope collate "C" and c.k = i.k and c.token = i.token
              and c.state = 1 limit 1 for update%4$s) c)
        update {claim} c set state = l.state, attempt = c.attempt * l.factor + l.change,
          until_ms = case l.state when 4 then %1$s + l.after else 0 end,
          expires_ms = %1$s + greatest(l.keep, l.after), updated_ms = %1$s,
          result_kind = l.kind, result_type = l.type, result = l.result,
          checkpoint = case l.state when 2 then null else c.checkpoint end, stamp = ?
        from l where c.ctid = l.t
        returning l.ord
        """
        .formatted(MILLIS, patience, SETTLED.unnested(), unless);
  }

  @Override
  public BitSet settle(Connection connection, List<Item.Settle> items, long stamp, boolean isInside)
      throws SQLException {
    return settle(connection, isInside ? settleInside : settle, items, stamp);
  }

  @Override
  public BitSet settleFree(Connection connection, List<Item.Settle> items, long stamp)
      throws SQLException {
    return settle(connection, settleFree, items, stamp);
  }

  private static BitSet settle(
      Connection connection, String sql, List<Item.Settle> items, long stamp) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      SETTLED.of(items).setUnnested(new Params(statement)).number(stamp);
      return ordinals(statement);
    }
  }

  private static BitSet ordinals(PreparedStatement statement) throws SQLException {
    BitSet held = new BitSet();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        held.set(rows.getInt(1) - 1);
      }
    }
    return held;
  }

  private static final Columns<Item.Renew> RENEWED =
      new Columns<Item.Renew>("k", Item.Renew::k)
          .text("scope", it -> it.scope().name())
          .number("token", Item.Renew::token)
          .number("lease", Item.Renew::lease)
          .bytes("checkpoint", it -> it.renewal().checkpoint());

  private static String renewStatement(String patience, String unless) {
    return """
        with l as materialized (
          select i.*, c.t from (
            select u.* from (%3$s) u %2$s order by ord) i
          cross join lateral (
            select ctid as t from {claim} c
            where c.scope = i.scope collate "C" and c.k = i.k and c.token = i.token
              and c.state = 1 limit 1 for update%4$s) c)
        update {claim} c set until_ms = %1$s + l.lease, updated_ms = %1$s,
          checkpoint = coalesce(l.checkpoint, c.checkpoint), stamp = ?
        from l where c.ctid = l.t
        returning l.ord
        """
        .formatted(MILLIS, patience, RENEWED.unnested(), unless);
  }

  @Override
  public BitSet renew(Connection connection, List<Item.Renew> items, long stamp)
      throws SQLException {
    return renew(connection, renew, items, stamp);
  }

  @Override
  public BitSet renewFree(Connection connection, List<Item.Renew> items, long stamp)
      throws SQLException {
    return renew(connection, renewFree, items, stamp);
  }

  private static BitSet renew(Connection connection, String sql, List<Item.Renew> items, long stamp)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      RENEWED.of(items).setUnnested(new Params(statement)).number(stamp);
      return ordinals(statement);
    }
  }

  @Override
  public BitSet put(Connection connection, List<Item.Put> items, long stamp) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(put)) {
      columns.of(items).setUnnested(new Params(statement).number(stamp));
      statement.executeUpdate();
      return new BitSet();
    }
  }

  private static Columns<Item.Put> columns(Text text) {
    return new Columns<Item.Put>("k", Item.Put::k)
        .text("scope", it -> it.scope().name())
        .number("token", it -> it.record().token())
        .number("state", it -> (long) it.record().state().code())
        .number("attempt", it -> (long) it.record().attempt())
        .number("lapse", it -> (long) it.record().lapse().code())
        .number("request", it -> it.record().requestId())
        .number("until_ms", Item.Put::until)
        .number("expires_ms", Item.Put::expires)
        .number("created_ms", it -> it.record().createdAtMillis())
        .number("updated_ms", it -> it.record().updatedAtMillis())
        .bytes("fingerprint", Item.Put::fingerprint)
        .number("result_kind", it -> (long) Row.Results.kind(it.record().result()))
        .bytes("result_type", it -> Row.Results.type(it.record().result()))
        .bytes("result", it -> Row.Results.bytes(it.record().result()))
        .bytes("checkpoint", it -> it.record().checkpoint())
        .text("owner", it -> text.fittingOwner(it.record().owner()))
        .text("key_text", it -> text.of(it.key()));
  }

  private static String putStatement(Columns<Item.Put> columns, String patience) {
    return """
        insert into {claim} as c (%1$s, key_text)
        select %2$s, key_text from (%3$s) u %4$s
        on conflict (scope, k) do update set %5$s where c.token < excluded.token
        """
        .formatted(
            Row.COLUMNS,
            Row.COLUMNS.replace("stamp", "?"),
            columns.unnested(),
            patience,
            Row.SET.stream().map(it -> it + " = excluded." + it).collect(Collectors.joining(", ")));
  }

  private static final Columns<RecordId> FOUND =
      new Columns<RecordId>("u_k", it -> it.key().toBytes())
          .text("u_scope", it -> it.scope().name());

  private static String findStatement() {
    return """
        select u.ord, n.us, n.token_floor, %s
        from (%s) u
        cross join (select %s as us, token_floor from {meta} where id = 1 offset 0) n
        left join lateral (
          select * from {claim} c
          where c.scope = u.u_scope collate "C" and c.k = u.u_k limit 1) t on true
        """
        .formatted(Row.values("t."), FOUND.unnested(), MICROS);
  }

  @Override
  public List<Look> find(Connection connection, List<RecordId> ids) throws SQLException {
    Look[] looks = new Look[ids.size()];
    try (PreparedStatement statement = connection.prepareStatement(find)) {
      FOUND.of(ids).setUnnested(new Params(statement));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          int index = rows.getInt(1) - 1;
          Row row = Row.read(rows, 4, ids.get(index));
          looks[index] = new Look(rows.getLong(2), rows.getLong(3), row);
        }
      }
    }
    return List.of(looks);
  }

  @Override
  public void savePosition(
      Connection connection, Scope consumer, byte[] source, PositionStore.Position value)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(position)) {
      new Params(statement)
          .text(consumer.name())
          .bytes(source)
          .number(value.epoch())
          .number(value.next());
      statement.executeUpdate();
    }
  }

  private static final Columns<Item> CHANGED =
      new Columns<Item>("u_k", Item::k).text("u_scope", it -> it.scope().name());

  private static final String RECORD =
      """
      insert into {event} (%s)
      select %s from (%s) u
      cross join lateral (
        select * from {claim} c
        where c.scope = u_scope collate "C" and c.k = u_k and c.stamp = ? limit 1) c
      on conflict do nothing
      """
          .formatted(Row.EVENT_NAMES, Row.EVENT_VALUES, CHANGED.unnested());

  @Override
  public void record(Connection connection, List<? extends Item> items, long stamp)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(tables.in(RECORD))) {
      CHANGED.of(items).setUnnested(new Params(statement)).number(stamp);
      statement.executeUpdate();
    }
  }

  @Override
  public int purgeEvents(Connection connection, int limit, long keptMillis) throws SQLException {
    String sql =
        "delete from {event} where ctid = any (array(select ctid from {event} where updated_ms <= "
            + MILLIS
            + " - ? order by updated_ms limit ? for update skip locked))";
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
    return false;
  }

  @Override
  public Fault fault(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    if (state.equals("40001") || state.equals("40P01")) {
      return Fault.CONFLICT;
    }
    if (state.equals("55P03")) {
      return Fault.LOCKED;
    }
    if (state.equals("53100") || state.equals("53200")) {
      return Fault.FULL;
    }
    if (state.startsWith("57P") || state.equals("25006")) {
      return Fault.CONNECTION_LOST;
    }
    return Faults.byClass(e);
  }
}
