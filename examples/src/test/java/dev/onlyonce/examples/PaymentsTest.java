package dev.onlyonce.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.PositionStore.Position;
import dev.onlyonce.store.jdbc.GuardedUpsert;
import dev.onlyonce.store.jdbc.Inbox;
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
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
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

  @BeforeEach
  void dropTables() throws SQLException {
    for (DataSource source : databases) {
      run(
          source,
          "DROP TABLE IF EXISTS payment, customer, onlyonce_claim, onlyonce_event,"
              + " onlyonce_position, onlyonce_meta");
    }
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
      run(source, ownTables());
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
        assertThat(payments.handle(payments.refunded("r-1", "4711", 200)))
            .isEqualTo(said("refunded"));
        assertThat(payments.handle(payments.refunded("r-1", "4711", 200)))
            .isInstanceOf(Verdict.Duplicate.class);
        assertThat(payments.handle(payments.refunded("r-2", "4711", 300)))
            .as("that the copy of the first refund has refunded nothing")
            .isEqualTo(said("refunded"));
        assertThat(payments.handle(payments.refunded("r-3", "4711", 1)))
            .isEqualTo(said("more than is left"));
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

  private static Verdict said(String text) {
    return new Verdict.Applied(ResultCodec.TEXT.encode(text));
  }

  /** The tables of the program itself, as the guide makes them. */
  private static String[] ownTables() {
    return SQL.matcher(Guide.of("postgresql.md").toString())
        .results()
        .map(it -> it.group(1))
        .filter(it -> it.startsWith("CREATE TABLE"))
        .flatMap(it -> Stream.of(it.split(";\\s*", 0)))
        .toArray(String[]::new);
  }

  @Test
  void a_message_that_fails_holds_the_position_back_until_it_is_given_up() throws SQLException {
    for (DataSource source : databases) {
      run(source, ownTables());
      try (JdbcStore store = Payments.open(source)) {
        Payments payments = new Payments(store, source);
        Key key = Key.of("4711", "paid");
        Inbox.Message poison =
            Inbox.Message.of(
                key,
                transaction -> {
                  throw new SQLException("no such column");
                });
        List<Inbox.Message> poll = List.of(payments.paid("4710", 500), poison);

        assertThat(payments.handlePoll(poll, "p-0", 2).get(1)).isInstanceOf(Verdict.Failed.class);
        assertThat(positions(store, source)).isEmpty();
        assertThat((Object) commit(source, it -> payments.giveUp(it, key, "no such column")))
            .isEqualTo(true);

        assertThat(payments.handlePoll(poll, "p-0", 2)).allMatch(Verdict::isFinal);
        assertThat(positions(store, source)).isEqualTo(Map.of("p-0", new Position(1, 2)));
        assertThat((Object) commit(source, it -> payments.giveUp(it, key, "again")))
            .isEqualTo(false);
      }
    }
  }

  private static Map<String, Position> positions(JdbcStore store, DataSource source)
      throws SQLException {
    return commit(source, it -> store.load(it, Scope.of("payments")));
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
