package dev.onlyonce.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.store.jdbc.Inbox;
import dev.onlyonce.store.jdbc.JdbcStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A poll of 500 messages in one transaction: a row of a payment for each, and the position that is
 * reached. With claims by the inbox, or without any.
 */
final class TogetherWork implements DatabaseWork {

  static final int MESSAGES = 500;

  private final HikariDataSource pool;
  private final JdbcStore store;
  private final Inbox inbox;
  private final Supplier<byte[]> keys = ClaimWork.newKeys();
  private final boolean isMariaDb;
  private final boolean hasClaims;
  private final boolean isEach;
  private long position;

  private TogetherWork(String name, String url) throws SQLException {
    this.pool = ClaimWork.pool(url, 1);
    this.isMariaDb = DatabaseKind.of(url) == DatabaseKind.MARIADB;
    this.hasClaims = name.startsWith("inbox");
    this.isEach = name.endsWith("each");
    String key = name.contains("keyed") ? " primary key" : "";
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table payment (order_no varchar(64) not null%s, account bigint not null, cents bigint not null)"
              .formatted(key));
      statement.execute(
          "create table plain_position (source varchar(64) primary key, next bigint not null)");
    }
    this.store = JdbcStore.on(pool).createTables().open();
    this.inbox = Inbox.of(store, pool, Scope.of("payments"));
  }

  /** Makes the one of that name: {@code inbox} or {@code plain}, the table, whether one by one. */
  static DatabaseWork named(String name, String url) throws SQLException {
    if (!name.matches("(inbox|plain)-(heap|keyed)(-each)?")) {
      throw new IllegalArgumentException("no such work: " + name);
    }
    return new TogetherWork(name, url);
  }

  private record Payment(Key key, String orderNo, long account, long cents) {}

  private final class Payments implements Inbox.BatchEffect<Payment> {
    @Override
    public Key key(Payment payment) {
      return payment.key();
    }

    @Override
    public List<Result> apply(Connection transaction, List<Payment> fresh) throws SQLException {
      insert(transaction, fresh);
      return Collections.nCopies(fresh.size(), Result.NONE);
    }
  }

  @Override
  public int step() throws SQLException {
    List<Payment> payments = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      byte[] key = keys.get();
      payments.add(new Payment(Key.ofBytes(key), MessageKeys.text(key), i, 100L * i));
    }
    position += MESSAGES;
    if (hasClaims) {
      handle(payments);
    } else {
      writeAll(payments);
    }
    return MESSAGES;
  }

  private void handle(List<Payment> payments) {
    Map<String, Position> positions = Map.of("topic-0", new Position(1, position));
    List<Inbox.Verdict> verdicts =
        isEach
            ? inbox.handleAll(payments.stream().map(this::message).toList(), positions)
            : inbox.handleAll(payments, new Payments(), positions);
    int applied = 0;
    for (Inbox.Verdict verdict : verdicts) {
      applied += verdict instanceof Inbox.Verdict.Applied ? 1 : 0;
    }
    DatabaseWork.require(MESSAGES, applied);
  }

  private Inbox.Message message(Payment payment) {
    return Inbox.Message.of(
        payment.key(),
        transaction -> {
          insert(transaction, List.of(payment));
          return Result.NONE;
        });
  }

  private void writeAll(List<Payment> payments) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      if (isEach) {
        for (Payment payment : payments) {
          insert(connection, List.of(payment));
        }
      } else {
        insert(connection, payments);
      }
      String sql =
          "insert into plain_position (source, next) values (?, ?) "
              + (isMariaDb
                  ? "on duplicate key update next = values(next)"
                  : "on conflict (source) do update set next = excluded.next");
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, "topic-0");
        statement.setLong(2, position);
        statement.executeUpdate();
      }
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  /** One statement for all of them, as fast as the database has one. */
  private void insert(Connection connection, List<Payment> payments) throws SQLException {
    if (isMariaDb || payments.size() == 1) {
      insertValues(connection, payments);
      return;
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            "insert into payment select * from unnest(?::text[], ?::bigint[], ?::bigint[])")) {
      statement.setArray(1, connection.createArrayOf("text", column(payments, Payment::orderNo)));
      statement.setArray(2, connection.createArrayOf("int8", column(payments, Payment::account)));
      statement.setArray(3, connection.createArrayOf("int8", column(payments, Payment::cents)));
      statement.executeUpdate();
    }
  }

  private static Object[] column(List<Payment> payments, Function<Payment, Object> value) {
    return payments.stream().map(value).toArray();
  }

  private static void insertValues(Connection connection, List<Payment> payments)
      throws SQLException {
    String values = String.join(", ", Collections.nCopies(payments.size(), "(?, ?, ?)"));
    try (PreparedStatement statement =
        connection.prepareStatement("insert into payment values " + values)) {
      int index = 0;
      for (Payment payment : payments) {
        statement.setString(++index, payment.orderNo());
        statement.setLong(++index, payment.account());
        statement.setLong(++index, payment.cents());
      }
      statement.executeUpdate();
    }
  }

  @Override
  public void close() {
    store.close();
    pool.close();
  }
}
