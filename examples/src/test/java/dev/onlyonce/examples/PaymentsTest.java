package dev.onlyonce.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.store.jdbc.GuardedUpsert;
import dev.onlyonce.store.jdbc.Inbox.Verdict;
import dev.onlyonce.store.jdbc.InsertOnce;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.jdbc.Transitions;
import dev.onlyonce.testkit.Semantics;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the payments, and every statement that the guides of the databases show, on both. */
@ExtendWith(Servers.class)
class PaymentsTest {

  private static final Pattern SQL = Pattern.compile("```sql\n(.*?)\n```", Pattern.DOTALL);

  private final List<DataSource> databases;

  PaymentsTest(Database<PostgreSqlServer> postgreSql, Database<MariaDbServer> mariaDb) {
    databases = List.of(new UrlSource(postgreSql.url()), new UrlSource(mariaDb.url()));
  }

  private static void run(DataSource source, String... statements) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (String todo : statements) {
        statement.execute(todo);
      }
    }
  }

  private interface Work<A> {
    A on(Connection transaction) throws SQLException;
  }

  private static <A> A commit(DataSource source, Work<A> work) throws SQLException {
    try (Connection transaction = source.getConnection()) {
      transaction.setAutoCommit(false);
      A answer = work.on(transaction);
      transaction.commit();
      return answer;
    }
  }

  @Test
  @Semantics({1, 3, 10})
  void an_order_is_paid_once_shipped_once_and_never_refunded_too_much() throws SQLException {
    for (DataSource source : databases) {
      run(
          source,
          "CREATE TABLE payment (order_no VARCHAR(40) PRIMARY KEY, cents BIGINT NOT NULL,"
              + " refunded BIGINT NOT NULL DEFAULT 0, status VARCHAR(20) NOT NULL)",
          "CREATE TABLE customer (id VARCHAR(40) PRIMARY KEY, version BIGINT NOT NULL,"
              + " name VARCHAR(80) NOT NULL)");
      try (JdbcStore store = Payments.open(source)) {
        Payments payments = new Payments(store, source);
        assertThat(payments.handle(payments.paid("4711", 500))).isInstanceOf(Verdict.Applied.class);
        assertThat(payments.handle(payments.paid("4711", 500)))
            .isInstanceOf(Verdict.Duplicate.class);
        assertThat(
                payments.handlePoll(
                    List.of(payments.paid("4711", 500), payments.paid("4712", 900)), "p-0", 2))
            .allMatch(Verdict::isFinal);
        assertThat((Object) commit(source, it -> payments.pay(it, "4713", 700)))
            .isEqualTo(InsertOnce.Answer.APPLIED);
        assertThat((Object) commit(source, it -> payments.pay(it, "4713", 700)))
            .isEqualTo(InsertOnce.Answer.ALREADY_THERE);
        assertThat((Object) commit(source, it -> payments.ship(it, "4711")))
            .isEqualTo(new Transitions.Answer.Applied());
        assertThat((Object) commit(source, it -> payments.ship(it, "4711")))
            .isEqualTo(new Transitions.Answer.AlreadyThere());
        assertThat((Object) commit(source, it -> payments.refund(it, "4711", 400))).isEqualTo(true);
        assertThat((Object) commit(source, it -> payments.refund(it, "4711", 400)))
            .isEqualTo(false);
        payments.purge();
        assertThat(payments.handle(payments.paid("4711", 500)))
            .as("after a purge that found nothing expired")
            .isInstanceOf(Verdict.Duplicate.class);
        assertThat((Object) commit(source, it -> payments.rename(it, "c-1", 2, "Ada")))
            .isEqualTo(GuardedUpsert.Answer.APPLIED);
        assertThat((Object) commit(source, it -> payments.rename(it, "c-1", 1, "Eve")))
            .isEqualTo(GuardedUpsert.Answer.STALE);
        Claim zombie = claim(store, ClaimRequest.ANY);
        Claim successor = claim(store, zombie.token());
        assertThat((Object) commit(source, it -> payments.shipFenced(it, zombie, "4712")))
            .isEqualTo(false);
        assertThat((Object) commit(source, it -> payments.shipFenced(it, successor, "4712")))
            .isEqualTo(true);
      }
    }
  }

  private static Claim claim(JdbcStore store, long expected) {
    Scope scope = Scope.of("shipping");
    Duration lease = Duration.ofMinutes(1);
    ClaimRequest request =
        ClaimRequest.of(scope, Key.of("4712"), expected + 1, lease, Lapse.PARK).expecting(expected);
    return ((Answer.Claimed) store.claim(List.of(request)).get(0)).claim();
  }

  @Test
  void the_guides_show_the_regions_of_the_program() {
    List<String> shown = Guide.of("postgresql.md").java();
    assertThat(shown).containsExactlyInAnyOrderElementsOf(Guide.regions(Payments.class));
  }

  @Test
  void every_statement_of_the_guides_can_be_run() throws SQLException {
    List<String> guides = List.of("postgresql.md", "mysql-mariadb.md");
    for (int i = 0; i < guides.size(); i++) {
      JdbcStore.on(databases.get(i)).createTables().open().close();
      List<String> pieces =
          SQL.matcher(Guide.of(guides.get(i)).toString()).results().map(it -> it.group(1)).toList();
      assertThat(pieces).isNotEmpty();
      for (String piece : pieces) {
        run(databases.get(i), piece.split(";\\s*", 0));
      }
    }
  }
}
