package dev.onlyonce.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;

/** Handles messages in batches, each with a row as its effect, and says what is done. */
final class KilledInbox {

  static final Scope SCOPE = Scope.of("killed");
  private static final int BATCH = 5;

  private KilledInbox() {}

  /**
   * The arguments are the URL, and the numbers of the first message and of the one after the last.
   */
  public static void main(String[] args) {
    try (HikariDataSource pool = Pools.pool(args[0], "READ_COMMITTED", 1);
        JdbcStore store = JdbcStore.open(pool)) {
      Inbox inbox = Inbox.of(store, pool, SCOPE);
      System.out.println("ready");
      for (int next = Integer.parseInt(args[1]); next < Integer.parseInt(args[2]); next += BATCH) {
        List<Inbox.Message> batch = new ArrayList<>();
        for (int i = next; i < next + BATCH; i++) {
          batch.add(message(i));
        }
        inbox.handleAll(batch);
        System.out.println("done " + next);
      }
      System.out.println("end");
    }
  }

  private static Inbox.Message message(int number) {
    return Inbox.Message.of(
        Key.of("message-" + number),
        transaction -> {
          try (PreparedStatement insert =
              transaction.prepareStatement("INSERT INTO killed_effect (n) VALUES (?)")) {
            insert.setInt(1, number);
            insert.executeUpdate();
          }
          return Result.NONE;
        });
  }
}
