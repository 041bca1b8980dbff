package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.spi.RecordId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * How PostgreSQL claims.
 *
 * <p>Most keys are new. So the first statement inserts all that are not there; it looks nothing up,
 * and answers with a count. Only if some were there, a second one reads the rows of all keys,
 * claims what may be claimed by what it has read, and where another row is in the way then, decides
 * by that one once more. Neither of them writes to a duplicate's row. What the first one has
 * inserted, the second one knows by the stamp; if its time is over by then and somebody else has
 * claimed the key, that is answered, as after any answer that comes too late.
 *
 * <p>A row that was committed after the second statement began is neither seen nor overwritten:
 * such an item comes back with nothing, and is asked for again.
 *
 * <p>All times are {@code statement_timestamp()}: {@code clock_timestamp()} may turn between two
 * columns. Items come in the order in which all lock, and {@code ord} is that order; the two
 * statements hold locks together inside the caller's transaction only, where none waits.
 *
 * <h2>Inside the caller's transaction</h2>
 *
 * <p>The statements take an advisory lock of each key, which others get only when the transaction
 * has ended, and claim those that they got, unless their row would have to be waited for. Two keys
 * that share a lock are only slower. What somebody has the lock of is not even read, since at
 * SERIALIZABLE that would be a conflict.
 */
final class PostgreSqlClaim {

  /**
   * By the OFFSET it is computed once and not for each row; that computation is slow, as it is
   * numeric.
   */
  private static final String NOW =
      """
      (select us, us / 1000 as ms, token_floor from (
        select {micros} as us, token_floor from {meta} where id = 1 offset 0) m {patience}
        offset 0) n
      """;

  private static final String INSERT =
      """
      insert into {claim} as c (scope, k, token, state, attempt, lapse, request, stamp,
          expected, until_ms, expires_ms, created_ms, updated_ms, fingerprint, result_kind,
          result_type, result, checkpoint, owner, key_text)
        select u_scope, u_k, {next}, u_state, 1, u_lapse, u_request, ?,
          u_expected, case u_state when 1 then ms + u_lease else 0 end,
          case u_state when 1 then {never} else ms + u_keep end, ms, ms, u_fingerprint, u_kind,
          u_type, u_result, null, ?, u_text
      """;

  private static final String FRESH =
      "with w as ("
          + INSERT.replace("{next}", "greatest(us, token_floor + 1)")
          + """
              from ({items}) u cross join
          """
          + NOW
          + """
              {if_got}
              order by ord
              on conflict (scope, k) do nothing
              returning token)
            select count(*), max(token) from w
            """;

  private static final String LOOK =
      """
      with i as materialized (
        select u.*, n.*, t.*
        from (select u.* {got} from ({items}) u) u
        cross join {now}
        left join lateral (
          select * from {claim} c
          where c.scope = u.u_scope collate "C" and c.k = u.u_k {and_got} limit 1) t on true
      )"""
          .replace("{now}", NOW);

  /** Those that nobody else has: by their advisory locks, and by the rows that may be claimed. */
  private static final String FREE =
      """
      , j as materialized (
        select i.*, token is not null and {may} as is_due from i
      ), p as materialized (
        select j.*, is_got and (token is null or l.here = 1) as is_free
        from j left join lateral (
          select 1 as here from {claim} c
          where j.is_got and j.is_due and c.scope = j.u_scope collate "C" and c.k = j.u_k
          limit 1 for update skip locked) l on true
      )""";

  private static final String WRITE =
      ", w as ("
          + INSERT.replace("{next}", "greatest(us, greatest(token_floor, coalesce(token, 0)) + 1)")
          + """
              from {of}
              where {wanted}
              order by ord
              on conflict (scope, k) do update set {set}
              where {still}
              returning c.scope, c.k, c.token, c.attempt, c.checkpoint
            )
            select i.ord, i.us, i.token_floor, w.token, w.attempt, w.checkpoint, {busy}, {row}
            from {of} i left join w on w.scope = i.u_scope collate "C" and w.k = i.u_k
            """;

  private static final String ALONE =
      (LOOK + WRITE)
          .replaceAll(" ?\\{(got|and_got)}", "")
          .replace("{of}", "i")
          .replace("{wanted}", "token is null or {may}")
          .replace("{busy}", "false");

  private static final String LOCKED = "55P03";
  private static final String TAKES_LOCK = "pg_try_advisory_xact_lock(u_lock)";

  private static final String INSIDE =
      (LOOK + FREE + WRITE)
          .replace("{got}", ", " + TAKES_LOCK + " as is_got")
          .replace("{and_got}", "and u.is_got")
          .replace("{of}", "p")
          .replace("{wanted}", "is_free and (token is null or is_due)")
          .replace("{busy}", "not i.is_got or (i.is_due and not i.is_free)");

  /** The two statements, and what they bring. */
  private record Pair(Columns<Item.Claim> columns, String fresh, String full) {}

  /** Looks at keys, in order. */
  interface Finder {
    List<Look> find(Connection connection, List<RecordId> ids) throws SQLException;
  }

  private final Text text;
  private final Finder finder;
  private final Pair alone;
  private final Pair inside;
  private final Lately insideLately = new Lately();

  /**
   * @param patience how long a statement that is a transaction of its own waits for a lock, as a
   *     join
   * @param finder of records
   */
  PostgreSqlClaim(Tables tables, Text text, long toleranceMillis, String patience, Finder finder) {
    this.text = text;
    this.finder = finder;
    UnaryOperator<String> of = it -> fill(it, tables, toleranceMillis);
    this.alone =
        pair(
            columns(),
            of.apply(FRESH.replace("{if_got}", "").replace("{patience}", patience)),
            of.apply(ALONE.replace("{patience}", patience)));
    this.inside =
        pair(
            columns().number("u_lock", new LockNames(tables)::of),
            of.apply(FRESH.replace("{if_got}", "where " + TAKES_LOCK).replace("{patience}", "")),
            of.apply(INSIDE.replace("{patience}", "")));
  }

  private static String fill(String sql, Tables tables, long toleranceMillis) {
    Rules row = new Rules("c.", "excluded.*", "excluded.updated_ms");
    String may = new Rules("i.", "i.u_*", "i.ms").mayBeClaimed(toleranceMillis);
    return tables.in(
        sql.replace("{micros}", PostgreSql.MICROS)
            .replace("{never}", Long.toString(Item.NEVER))
            .replace("{may}", may)
            .replace("{set}", row.assignments() + ", stamp = excluded.stamp")
            .replace("{still}", row.mayBeClaimed(toleranceMillis))
            .replace("{row}", Row.values("i.")));
  }

  private static Pair pair(Columns<Item.Claim> columns, String fresh, String full) {
    String items = columns.unnested();
    return new Pair(columns, fresh.replace("{items}", items), full.replace("{items}", items));
  }

  private Columns<Item.Claim> columns() {
    return new Columns<Item.Claim>("u_k", Item.Claim::k)
        .text("u_scope", it -> it.scope().name())
        .number("u_request", it -> it.request().requestId())
        .number("u_expected", Item.Claim::expected)
        .number("u_state", it -> (long) it.state())
        .number("u_lease", Item.Claim::lease)
        .number("u_keep", Item.Claim::keep)
        .number("u_lapse", it -> (long) it.request().lapse().code())
        .bytes("u_fingerprint", Item.Claim::fingerprint)
        .number("u_kind", it -> (long) Row.Results.kind(it.result()))
        .bytes("u_type", it -> Row.Results.type(it.result()))
        .bytes("u_result", it -> Row.Results.bytes(it.result()))
        .text("u_text", it -> text.of(it.key()));
  }

  /**
   * Claims, each statement being a transaction of its own. If the second one finds a row locked for
   * too long, what the first one has claimed is answered all the same. In a transaction, which
   * would keep locks from the one to the other and against the order of all, it is the second
   * alone.
   */
  List<Look> claim(Connection connection, List<Item.Claim> items, long stamp) throws SQLException {
    Columns.Filled<Item.Claim> filled = alone.columns.of(items);
    if (!connection.getAutoCommit()) {
      return full(connection, alone.full, filled, stamp);
    }
    Fresh fresh = fresh(connection, alone.fresh, filled, stamp);
    if (fresh.count == items.size()) {
      return fresh.looks();
    }
    try {
      return full(connection, alone.full, filled, stamp);
    } catch (SQLException e) {
      if (fresh.count == 0 || !LOCKED.equals(e.getSQLState())) {
        throw e;
      }
      List<Look> looks = finder.find(connection, items.stream().map(Item::id).toList());
      return looks.stream().map(it -> it.by(stamp).orBusy()).toList();
    }
  }

  /** Claims inside the caller's transaction. */
  List<Look> claimInside(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    Columns.Filled<Item.Claim> filled = inside.columns.of(items);
    if (insideLately.areMostlyNew()) {
      Fresh fresh = fresh(connection, inside.fresh, filled, stamp);
      if (fresh.count == items.size()) {
        return fresh.looks();
      }
    }
    List<Look> looks = full(connection, inside.full, filled, stamp);
    insideLately.saw(looks.stream().filter(it -> it.grant() != null).count(), looks.size());
    return looks;
  }

  /** How many were inserted, and the token that they all have. */
  private record Fresh(int count, long token) {
    List<Look> looks() {
      return Collections.nCopies(count, Look.Grant.look(token, 1, null));
    }
  }

  private Fresh fresh(
      Connection connection, String sql, Columns.Filled<Item.Claim> items, long stamp)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      items.setUnnested(new Params(statement).number(stamp).text(text.owner()));
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return new Fresh(rows.getInt(1), rows.getLong(2));
      }
    }
  }

  private List<Look> full(
      Connection connection, String sql, Columns.Filled<Item.Claim> items, long stamp)
      throws SQLException {
    Look[] looks = new Look[items.size()];
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      items.setUnnested(new Params(statement)).number(stamp).text(text.owner());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          int index = rows.getInt(1) - 1;
          looks[index] = look(rows, items.item(index).id(), stamp);
        }
      }
    }
    return List.of(looks);
  }

  private static Look look(ResultSet rows, RecordId id, long stamp) throws SQLException {
    long token = rows.getLong(4);
    if (!rows.wasNull()) {
      return Look.Grant.look(token, rows.getInt(5), rows.getBytes(6));
    }
    return rows.getBoolean(7)
        ? Look.BUSY
        : new Look(rows.getLong(2), rows.getLong(3), Row.read(rows, 8, id)).by(stamp);
  }
}
