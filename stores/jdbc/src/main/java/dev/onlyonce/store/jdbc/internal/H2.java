package dev.onlyonce.store.jdbc.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * H2, which runs in this process: {@link ClaimMachine} decides on what was read, and what it wants
 * to write is written only over the very row that was read, known by its stamp.
 *
 * <p>Stores of one database take turns by a lock in this JVM, since statements of H2 that merge
 * into one table at once get into each other's way for seconds. Nothing relies on it but the speed.
 * Whoever has the lock waits only shortly for the rows of open transactions, which may want the
 * lock.
 */
final class H2 implements Dialect {

  private static final Map<String, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

  private static final String MICROS =
      "cast(extract(epoch from current_timestamp(6)) * 1000000 as bigint)";
  private static final String MILLIS =
      "cast(floor(extract(epoch from current_timestamp(6)) * 1000) as bigint)";

  private static final int PATIENCE = 20; // milliseconds
  private static final int DUPLICATE_KEY = 23505;
  private static final int DEADLOCK = 40001;
  private static final List<Integer> CONFLICTS = List.of(DUPLICATE_KEY, DEADLOCK, 50200, 90131);
  private static final List<Integer> GONE = List.of(90067, 90098, 90121, 90007, 57014);

  private final Tables tables;
  private final Text text;
  private final ClaimMachine machine;
  private final ReentrantLock turn;

  /**
   * @param url of the database, by which its stores find their lock
   */
  H2(Tables tables, Text text, ClaimMachine machine, String url) {
    this.tables = tables;
    this.text = text;
    this.machine = machine;
    this.turn = LOCKS.computeIfAbsent(url, it -> new ReentrantLock());
  }

  private <A> A inTurn(Connection connection, Atomic.Work<A> work) throws SQLException {
    turn.lock();
    try (Statement statement = connection.createStatement()) {
      long before;
      try (ResultSet rows = statement.executeQuery("call lock_timeout()")) {
        rows.next();
        before = rows.getLong(1);
      }
      statement.execute("set lock_timeout " + PATIENCE);
      try {
        return Atomic.on(connection, work);
      } finally {
        statement.execute("set lock_timeout " + before);
      }
    } finally {
      turn.unlock();
    }
  }

  /**
   * As everywhere, but with a short patience, and one by one. A deadlock is the caller's to know:
   * H2 has rolled back the whole transaction then.
   */
  @Override
  public List<Look> claimInside(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
      throw new StoreException(
          StoreException.Kind.REJECTED,
          "the transaction is at READ UNCOMMITTED, where a key reads as done that is not: set READ"
              + " COMMITTED or higher");
    }
    List<Look> looks = new ArrayList<>();
    for (Item.Claim item : items) {
      try {
        looks.addAll(claim(connection, List.of(item), stamp));
      } catch (SQLException e) {
        if (e.getErrorCode() == DEADLOCK || !CONFLICTS.contains(e.getErrorCode())) {
          throw e;
        }
        looks.add(Look.BUSY);
      }
    }
    return looks;
  }

  @Override
  public void savePosition(
      Connection connection, Scope consumer, byte[] source, PositionStore.Position position)
      throws SQLException {
    String sql =
        tables.in(
            """
            merge into {position} p using (select cast(? as varbinary) consumer,
              cast(? as varbinary) source, cast(? as bigint) epoch, cast(? as bigint) next) i
            on p.consumer = i.consumer and p.source = i.source
            when matched and (i.epoch, i.next) > (p.epoch, p.next)
              then update set epoch = i.epoch, next = i.next
            when not matched then insert (consumer, source, epoch, next)
              values (i.consumer, i.source, i.epoch, i.next)
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

  @Override
  public void setScope(Params params, Scope scope) throws SQLException {
    params.scope(scope);
  }

  /** Also in its Oracle mode, which knows no limit. */
  @Override
  public String atMost() {
    return " fetch first ? rows only";
  }

  @Override
  public String nowMillis() {
    return MILLIS;
  }

  @Override
  public List<Look> claim(Connection connection, List<Item.Claim> items, long stamp)
      throws SQLException {
    return inTurn(
        connection,
        () -> {
          List<Look> looks = find(connection, items.stream().map(Item::id).toList());
          List<Look> answers = new ArrayList<>();
          for (int i = 0; i < items.size(); i++) {
            answers.add(claim(connection, items.get(i), looks.get(i), stamp));
          }
          return answers;
        });
  }

  private Look claim(Connection connection, Item.Claim item, Look look, long stamp)
      throws SQLException {
    Row row = look.row();
    ClaimMachine.Decision<Answer> decision =
        machine.claim(
            row == null ? null : row.record(), item.request(), look.nowMicros(), look.floor());
    ClaimRecord write = decision.write();
    if (write == null || !(decision.answer() instanceof Answer.Claimed claimed)) {
      return look;
    }
    return write(connection, row, write, stamp)
        ? Look.Grant.look(write.token(), write.attempt(), claimed.checkpoint())
        : Look.NOTHING;
  }

  /** Writes a record over the row that was read, or where none was. */
  private boolean write(Connection connection, @Nullable Row over, ClaimRecord record, long stamp)
      throws SQLException {
    String sql =
        over == null
            ? "insert into {claim} ("
                + String.join(", ", Row.SET)
                + ", key_text) values ("
                + "?, ".repeat(Row.SET.size())
                + "?)"
            : "update {claim} set "
                + String.join(" = ?, ", Row.SET.subList(0, Row.SET.indexOf("scope")))
                + " = ? where scope = ? and k = ? and stamp = ?";
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      Params params = new Params(statement);
      Row written = new Row(record, stamp, record.checkpoint());
      written.set(params);
      if (over == null) {
        params.text(text.of(written.id().key()));
      } else {
        params.number(over.stamp());
      }
      return statement.executeUpdate() == 1;
    } catch (SQLException e) {
      if (e.getErrorCode() == DUPLICATE_KEY) {
        return false; // somebody else's, to be read anew
      }
      throw e;
    }
  }

  private interface Decide<I> {
    ClaimMachine.Decision<Held> on(@Nullable ClaimRecord record, I item, long nowMicros);
  }

  private <I extends Item> BitSet change(
      Connection connection, List<I> items, long stamp, Decide<I> decide) throws SQLException {
    return inTurn(
        connection,
        () -> {
          List<Look> looks = find(connection, items.stream().map(Item::id).toList());
          BitSet held = new BitSet();
          for (int i = 0; i < items.size(); i++) {
            Row row = looks.get(i).row();
            ClaimRecord write =
                decide
                    .on(row == null ? null : row.record(), items.get(i), looks.get(i).nowMicros())
                    .write();
            held.set(i, write != null && write(connection, row, write, stamp));
          }
          return held;
        });
  }

  @Override
  public BitSet settle(Connection connection, List<Item.Settle> items, long stamp, boolean isInside)
      throws SQLException {
    return change(
        connection,
        items,
        stamp,
        (record, item, now) -> machine.settle(record, item.settlement(), now));
  }

  @Override
  public BitSet renew(Connection connection, List<Item.Renew> items, long stamp)
      throws SQLException {
    return change(
        connection,
        items,
        stamp,
        (record, item, now) -> machine.renew(record, item.renewal(), now));
  }

  @Override
  public BitSet renewFree(Connection connection, List<Item.Renew> items, long stamp)
      throws SQLException {
    return oneByOne(items, item -> renew(connection, item, stamp));
  }

  @Override
  public BitSet settleFree(Connection connection, List<Item.Settle> items, long stamp)
      throws SQLException {
    // In a transaction a deadlock would undo those that went well.
    return connection.getAutoCommit()
        ? oneByOne(items, item -> settle(connection, item, stamp, false))
        : settle(connection, items, stamp, false);
  }

  private interface Change<I> {
    BitSet of(List<I> item) throws SQLException;
  }

  private static <I> BitSet oneByOne(List<I> items, Change<I> change) throws SQLException {
    BitSet held = new BitSet();
    for (int i = 0; i < items.size(); i++) {
      try {
        held.set(i, change.of(items.subList(i, i + 1)).get(0));
      } catch (SQLException e) {
        if (!CONFLICTS.contains(e.getErrorCode())) {
          throw e;
        }
      }
    }
    return held;
  }

  @Override
  public BitSet put(Connection connection, List<Item.Put> items, long stamp) throws SQLException {
    return inTurn(
        connection,
        () -> {
          List<Look> looks = find(connection, items.stream().map(Item::id).toList());
          BitSet written = new BitSet();
          for (int i = 0; i < items.size(); i++) {
            Row row = looks.get(i).row();
            ClaimRecord record = items.get(i).record();
            written.set(
                i,
                (row == null || row.record().token() < record.token())
                    && write(connection, row, record, stamp));
          }
          return written;
        });
  }

  @Override
  public List<Look> find(Connection connection, List<RecordId> ids) throws SQLException {
    String sql =
        tables.in(
            "select n.us, m.token_floor, "
                + Row.values("c.")
                + " from (select "
                + MICROS
                + " as us) n join {meta} m on m.id = 1"
                + " left join {claim} c on c.scope = ? and c.k = ?");
    List<Look> looks = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (RecordId id : ids) {
        new Params(statement).scope(id.scope()).bytes(id.key().toBytes());
        try (ResultSet rows = statement.executeQuery()) {
          rows.next();
          looks.add(new Look(rows.getLong(1), rows.getLong(2), Row.read(rows, 3, id)));
        }
      }
    }
    return looks;
  }

  @Override
  public void record(Connection connection, List<? extends Item> items, long stamp)
      throws SQLException {
    String sql =
        "insert into {event} ("
            + Row.EVENT_NAMES
            + ") select "
            + Row.EVENT_VALUES
            + " from {claim} c where c.scope = ? and c.k = ? and c.stamp = ? and not exists (select"
            + " 1 from {event} e where e.scope = c.scope and e.k = c.k and e.token = c.token and"
            + " e.state = c.state)";
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      for (Item item : items) {
        new Params(statement).scope(item.scope()).bytes(item.k()).number(stamp);
        statement.executeUpdate();
      }
    }
  }

  @Override
  public int purgeEvents(Connection connection, int limit, long keptMillis) throws SQLException {
    String sql =
        "delete from {event} where updated_ms <= " + MILLIS + " - ? fetch first ? rows only";
    try (PreparedStatement statement = connection.prepareStatement(tables.in(sql))) {
      new Params(statement).number(keptMillis).number(limit);
      return statement.executeUpdate();
    }
  }

  @Override
  public int purge(Connection connection, int limit, long graceMillis) throws SQLException {
    return inTurn(connection, () -> purgeSome(connection, limit, graceMillis));
  }

  private int purgeSome(Connection connection, int limit, long graceMillis) throws SQLException {
    String expired = " where state between 2 and 4 and expires_ms <= " + MILLIS + " - ?";
    try (PreparedStatement raise =
            connection.prepareStatement(
                tables.in(
                    "update {meta} set token_floor = greatest(token_floor, coalesce((select"
                        + " max(token) from {claim}"
                        + expired
                        + "), 0)) where id = 1"));
        PreparedStatement delete =
            connection.prepareStatement(
                tables.in("delete from {claim}" + expired + " fetch first ? rows only"))) {
      new Params(raise).number(graceMillis);
      raise.executeUpdate();
      new Params(delete).number(graceMillis).number(limit);
      return delete.executeUpdate();
    }
  }

  @Override
  public boolean survivesLocks() {
    return false;
  }

  @Override
  public Fault fault(SQLException e) {
    if (CONFLICTS.contains(e.getErrorCode())) {
      return Fault.CONFLICT;
    }
    return GONE.contains(e.getErrorCode()) ? Fault.CONNECTION_LOST : Faults.byClass(e);
  }
}
