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
 * PostgreSQL: each verb is one statement with arrays for parameters.
 *
 * <h2>Claiming</h2>
 *
 * <p>The statement reads the rows of all keys, inserts only what may be claimed by what it has
 * read, and where a row is in the way then, decides by that row once more. It never writes to a
 * duplicate's row. A row that was committed after the statement began is neither seen nor
 * overwritten: such an item comes back with nothing, and is asked for again.
 *
 * <p>All times are {@code statement_timestamp()}: {@code clock_timestamp()} may turn between two
 * columns.
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

  private static final String MICROS =
      "(extract(epoch from statement_timestamp()) * 1000000)::bigint";
  private static final String MILLIS =
      "(floor(extract(epoch from statement_timestamp()) * 1000))::bigint";

  private static final String POSITION =
      """
      insert into {position} as p (consumer, source, epoch, next) values (?, ?, ?, ?)
      on conflict (consumer, source) do update set epoch = excluded.epoch, next = excluded.next
      where (excluded.epoch, excluded.next) > (p.epoch, p.next)
      """;

  private final Tables tables;
  private final Text text;
  private final LockNames lockNames;
  private final String claim;
  private final String claimInside;
  private final String settle;
  private final String settleAlone;
  private final String renew;
  private final String renewAlone;
  private final String find;
  private final String put;
  private final String position;
  private final PostgreSqlPurge purge;

  PostgreSql(Tables tables, Text text, long toleranceMillis, Duration lockWait) {
    String patience =
        " cross join (select set_config('lock_timeout', '%d', true)) p"
            .formatted(Math.max(1, Math.min(Limits.millis(lockWait), Integer.MAX_VALUE)));
    this.tables = tables;
    this.text = text;
    this.lockNames = new LockNames(tables);
    this.position = tables.in(POSITION);
    this.claim = fill(tables, CLAIM.replace("{patience}", patience), toleranceMillis);
    this.claimInside = fill(tables, CLAIM_INSIDE, toleranceMillis);
    this.settle = tables.in(settleStatement(""));
    this.settleAlone = tables.in(settleStatement(patience));
    this.renew = tables.in(renewStatement(""));
    this.renewAlone = tables.in(renewStatement(patience));
    this.put = tables.in(putStatement());
    this.find = tables.in(findStatement());
    this.purge = new PostgreSqlPurge(tables);
  }

  @Override
  public void setScope(Params params, Scope scope) throws SQLException {
    params.text(scope.name());
  }

  @Override
  public String nowMillis() {
    return MILLIS;
  }

  /** The items; with them the moment, the floor of tokens, and the row that is there. */
  private static final String ITEMS =
      """
      with i as materialized (
        select u.*, n.us, n.us / 1000 as ms, n.token_floor, t.*
        from (
          select * {alone} from unnest(?::text[], ?::bytea[], ?::bigint[], ?::bigint[],
              ?::smallint[], ?::bigint[], ?::bigint[], ?::smallint[], ?::bytea[], ?::smallint[],
              ?::bytea[], ?::bytea[], ?::text[] {lock})
            with ordinality as u(u_scope, u_k, u_request, u_expected, u_state, u_lease, u_keep,
              u_lapse, u_fingerprint, u_kind, u_type, u_result, u_text {u_lock}, u_ord)) u
        cross join (select {micros} as us, token_floor from {meta} where id = 1) n {patience}
        left join lateral (
          select * from {claim} c
          where c.scope = u.u_scope collate "C" and c.k = u.u_k {if_alone} limit 1) t on true
      )""";

  /**
   * Those that nobody else has: by their advisory locks, and by the rows that may be claimed. What
   * somebody has the lock of is not even read, since at SERIALIZABLE that would be a conflict.
   */
  private static final String FREE =
      """
      , j as materialized (
        select i.*, token is not null and {may} as is_due from i
      ), p as materialized (
        select j.*, is_alone and (token is null or l.here = 1) as is_free
        from j left join lateral (
          select 1 as here from {claim} c
          where j.is_alone and j.is_due and c.scope = j.u_scope collate "C" and c.k = j.u_k
          limit 1 for update skip locked) l on true
      )""";

  private static final String WRITE =
      """
      , w as (
        insert into {claim} as c (scope, k, token, state, attempt, lapse, request, stamp,
          expected, until_ms, expires_ms, created_ms, updated_ms, fingerprint, result_kind,
          result_type, result, checkpoint, owner, key_text)
        select u_scope, u_k, greatest(us, greatest(token_floor, coalesce(token, 0)) + 1),
          u_state, 1, u_lapse, u_request, ?,
          u_expected, case u_state when 1 then ms + u_lease else 0 end,
          case u_state when 1 then {never} else ms + u_keep end, ms, ms, u_fingerprint, u_kind,
          u_type, u_result, null, ?, u_text
        from {of}
        where {wanted}
        order by u_scope collate "C", u_k
        on conflict (scope, k) do update set {set}
        where {still}
        returning c.scope, c.k, c.token, c.attempt, c.checkpoint
      )
      select i.u_ord, i.us, i.token_floor, w.token, w.attempt, w.checkpoint, {busy}, {row}
      from {of} i left join w on w.scope = i.u_scope collate "C" and w.k = i.u_k
      """;

  private static String fill(Tables tables, String statement, long toleranceMillis) {
    Rules row = new Rules("c.", "excluded.*", "excluded.updated_ms");
    return tables.in(
        statement
            .replace("{micros}", MICROS)
            .replace("{never}", Long.toString(Item.NEVER))
            .replace("{may}", new Rules("i.", "i.u_*", "i.ms").mayBeClaimed(toleranceMillis))
            .replace("{set}", row.assignments() + ", stamp = excluded.stamp")
            .replace("{still}", row.mayBeClaimed(toleranceMillis))
            .replace("{row}", Row.columns("i.")));
  }

  private static final String CLAIM =
      ITEMS.replaceAll("\\{(alone|lock|u_lock|if_alone)}", "")
          + WRITE
              .replace("{of}", "i")
              .replace("{wanted}", "token is null or {may}")
              .replace("{busy}", "false");

  private static final String CLAIM_INSIDE =
      ITEMS
              .replace("{patience}", "")
              .replace("{alone}", ", pg_try_advisory_xact_lock(u_lock) as is_alone")
              .replace("{lock}", ", ?::bigint[]")
              .replace("{u_lock}", ", u_lock")
              .replace("{if_alone}", "and u.is_alone")
          + FREE
          + WRITE
              .replace("{of}", "p")
              .replace("{wanted}", "is_free and (token is null or is_due)")
              .replace("{busy}", "not i.is_alone or (i.is_due and not i.is_free)");

  @Override
  public List<Look> claim(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(claim)) {
      set(statement, items).number(stamp).text(text.owner());
      return looks(statement, items.size(), true);
    }
  }

  private Params set(PreparedStatement statement, List<Item.Claim> items) throws SQLException {
    return new Params(statement)
        .text(items, (Item.Claim it) -> it.scope().name())
        .bytea(items, Item.Claim::k)
        .int8(items, (Item.Claim it) -> it.request().requestId())
        .int8(items, Item.Claim::expected)
        .int2(items, Item.Claim::state)
        .int8(items, Item.Claim::lease)
        .int8(items, Item.Claim::keep)
        .int2(items, (Item.Claim it) -> it.request().lapse().code())
        .bytea(items, Item.Claim::fingerprint)
        .int2(items, (Item.Claim it) -> Row.Results.kind(it.result()))
        .bytea(items, (Item.Claim it) -> Row.Results.type(it.result()))
        .bytea(items, (Item.Claim it) -> Row.Results.bytes(it.result()))
        .text(items, (Item.Claim it) -> text.of(it.key()));
  }

  /**
   * Takes an advisory lock of each key, which others get only when the transaction has ended, and
   * claims those that it got, unless their row would have to be waited for. Two keys that share a
   * lock are only slower.
   */
  @Override
  public List<Look> claimInside(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(claimInside)) {
      set(statement, items).int8(items, lockNames::of).number(stamp).text(text.owner());
      return looks(statement, items.size(), true);
    }
  }

  /** Reads an ordinal, the time, the floor, what was claimed if that was asked for, and a row. */
  private static List<Look> looks(PreparedStatement statement, int size, boolean claims)
      throws SQLException {
    Look[] looks = new Look[size];
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        int index = rows.getInt(1) - 1;
        long token = claims ? rows.getLong(4) : 0;
        if (claims && !rows.wasNull()) {
          looks[index] = Look.Grant.look(token, rows.getInt(5), rows.getBytes(6));
        } else if (claims && rows.getBoolean(7)) {
          looks[index] = Look.BUSY;
        } else {
          Row row = Row.read(rows, claims ? 8 : 4);
          looks[index] = new Look(rows.getLong(2), rows.getLong(3), row);
        }
      }
    }
    return List.of(looks);
  }

  /** The statement; alone in its transaction it brings how long it waits for a row. */
  private static String settleStatement(String patience) {
    return """
        with l as materialized (
          select i.*, c.t from (
            select u.* from unnest(?::text[], ?::bytea[], ?::bigint[], ?::smallint[], ?::bigint[],
                ?::bigint[], ?::smallint[], ?::bytea[], ?::bytea[], ?::integer[], ?::integer[])
              with ordinality as u(scope, k, token, state, after, keep, kind, type, result,
                factor, change, ord) %2$s
            order by scope collate "C", k) i
          cross join lateral (
            select ctid as t from {claim} c
            where c.scope = i.scope collate "C" and c.k = i.k and c.token = i.token
              and c.state = 1 limit 1 for update) c)
        update {claim} c set state = l.state, attempt = c.attempt * l.factor + l.change,
          until_ms = case l.state when 4 then %1$s + l.after else 0 end,
          expires_ms = %1$s + greatest(l.keep, l.after), updated_ms = %1$s,
          result_kind = l.kind, result_type = l.type, result = l.result,
          checkpoint = case l.state when 2 then null else c.checkpoint end, stamp = ?
        from l where c.ctid = l.t
        returning l.ord
        """
        .formatted(MILLIS, patience);
  }

  @Override
  public BitSet settle(Connection connection, List<Item.Settle> items, long stamp)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(connection.getAutoCommit() ? settleAlone : settle)) {
      new Params(statement)
          .text(items, (Item.Settle it) -> it.scope().name())
          .bytea(items, Item.Settle::k)
          .int8(items, Item.Settle::token)
          .int2(items, Item.Settle::state)
          .int8(items, Item.Settle::after)
          .int8(items, Item.Settle::keep)
          .int2(items, (Item.Settle it) -> Row.Results.kind(it.result()))
          .bytea(items, (Item.Settle it) -> Row.Results.type(it.result()))
          .bytea(items, (Item.Settle it) -> Row.Results.bytes(it.result()))
          .int4(items, Item.Settle::attemptFactor)
          .int4(items, Item.Settle::attemptChange)
          .number(stamp);
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

  private static String renewStatement(String patience) {
    return """
        with l as materialized (
          select i.*, c.t from (
            select u.* from unnest(?::text[], ?::bytea[], ?::bigint[], ?::bigint[], ?::bytea[])
              with ordinality as u(scope, k, token, lease, checkpoint, ord) %2$s
            order by scope collate "C", k) i
          cross join lateral (
            select ctid as t from {claim} c
            where c.scope = i.scope collate "C" and c.k = i.k and c.token = i.token
              and c.state = 1 limit 1 for update) c)
        update {claim} c set until_ms = %1$s + l.lease, updated_ms = %1$s,
          checkpoint = coalesce(l.checkpoint, c.checkpoint), stamp = ?
        from l where c.ctid = l.t
        returning l.ord
        """
        .formatted(MILLIS, patience);
  }

  @Override
  public BitSet renew(Connection connection, List<Item.Renew> items, long stamp)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(connection.getAutoCommit() ? renewAlone : renew)) {
      new Params(statement)
          .text(items, (Item.Renew it) -> it.scope().name())
          .bytea(items, Item.Renew::k)
          .int8(items, Item.Renew::token)
          .int8(items, Item.Renew::lease)
          .bytea(items, (Item.Renew it) -> it.renewal().checkpoint())
          .number(stamp);
      return ordinals(statement);
    }
  }

  @Override
  public BitSet put(Connection connection, List<Item.Put> items, long stamp) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(put)) {
      new Params(statement)
          .text(items, (Item.Put it) -> it.scope().name())
          .bytea(items, Item.Put::k)
          .int8(items, (Item.Put it) -> it.record().token())
          .int2(items, (Item.Put it) -> it.record().state().code())
          .int4(items, (Item.Put it) -> it.record().attempt())
          .int2(items, (Item.Put it) -> it.record().lapse().code())
          .int8(items, (Item.Put it) -> it.record().requestId())
          .int8(items, it -> stamp)
          .int8(items, Item.Put::until)
          .int8(items, Item.Put::expires)
          .int8(items, (Item.Put it) -> it.record().createdAtMillis())
          .int8(items, (Item.Put it) -> it.record().updatedAtMillis())
          .bytea(items, Item.Put::fingerprint)
          .int2(items, (Item.Put it) -> Row.Results.kind(it.record().result()))
          .bytea(items, (Item.Put it) -> Row.Results.type(it.record().result()))
          .bytea(items, (Item.Put it) -> Row.Results.bytes(it.record().result()))
          .bytea(items, (Item.Put it) -> it.record().checkpoint())
          .text(items, (Item.Put it) -> text.fittingOwner(it.record().owner()))
          .text(items, (Item.Put it) -> text.of(it.key()));
      statement.executeUpdate();
      return new BitSet();
    }
  }

  private static String putStatement() {
    return """
        insert into {claim} as c (%s, key_text)
        select * from unnest(?::text[], ?::bytea[], ?::bigint[], ?::smallint[], ?::integer[],
          ?::smallint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
          ?::bigint[], ?::bytea[], ?::smallint[], ?::bytea[], ?::bytea[], ?::bytea[], ?::text[],
          ?::text[])
        on conflict (scope, k) do update set %s where c.token < excluded.token
        """
        .formatted(
            Row.COLUMNS,
            Row.SET.stream().map(it -> it + " = excluded." + it).collect(Collectors.joining(", ")));
  }

  private static String findStatement() {
    return """
        select u.ord, n.us, n.token_floor, %s
        from unnest(?::text[], ?::bytea[]) with ordinality as u(u_scope, u_k, ord)
        cross join (select %s as us, token_floor from {meta} where id = 1) n
        left join lateral (
          select * from {claim} c
          where c.scope = u.u_scope collate "C" and c.k = u.u_k limit 1) t on true
        """
        .formatted(Row.columns("t."), MICROS);
  }

  @Override
  public List<Look> find(Connection connection, List<RecordId> ids) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(find)) {
      new Params(statement)
          .text(ids, (RecordId it) -> it.scope().name())
          .bytea(ids, (RecordId it) -> it.key().toBytes());
      return looks(statement, ids.size(), false);
    }
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

  private static final String RECORD =
      """
      insert into {event} (%s)
      select %s from unnest(?::text[], ?::bytea[]) as u(u_scope, u_k)
      cross join lateral (
        select * from {claim} c
        where c.scope = u_scope collate "C" and c.k = u_k and c.stamp = ? limit 1) c
      on conflict do nothing
      """
          .formatted(Row.EVENT_NAMES, Row.EVENT_VALUES);

  @Override
  public void record(Connection connection, List<? extends Item> items, long stamp)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(tables.in(RECORD))) {
      new Params(statement)
          .text(items, (Item it) -> it.scope().name())
          .bytea(items, Item::k)
          .number(stamp);
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
