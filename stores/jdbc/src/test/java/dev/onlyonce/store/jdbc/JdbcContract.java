package dev.onlyonce.store.jdbc;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.testkit.ClaimReaderContract;
import dev.onlyonce.testkit.ClaimStoreContract;
import dev.onlyonce.testkit.DurableStoreContract;
import dev.onlyonce.testkit.ServerClock;
import dev.onlyonce.testkit.SharedStoreContract;
import dev.onlyonce.testkit.StoreSettings;
import dev.onlyonce.testkit.UnknownStateContract;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;

/** All contracts, on a database that a subclass names. */
abstract class JdbcContract extends ClaimStoreContract
    implements ServerClock,
        ClaimReaderContract,
        SharedStoreContract,
        DurableStoreContract,
        UnknownStateContract {

  private final DataSource source;
  private final SqlDialect dialect;

  JdbcContract(DataSource source, SqlDialect dialect) {
    this.source = source;
    this.dialect = dialect;
  }

  private JdbcStore.Builder builder(StoreSettings settings) {
    return JdbcStore.on(source)
        .dialect(dialect)
        .owner(settings.owner())
        .purgeGrace(settings.purgeGrace())
        .clockTolerance(settings.clockTolerance());
  }

  /** How long events are kept; zero: none are written. */
  Duration history() {
    return Duration.ZERO;
  }

  @Override
  public ClaimStore open(StoreSettings settings) {
    JdbcStore store = builder(settings).createTables().keepHistory(history()).open();
    Pools.run(
        source,
        "DELETE FROM onlyonce_event",
        "DELETE FROM onlyonce_claim",
        "UPDATE onlyonce_meta SET token_floor = 0");
    return store;
  }

  @Override
  public ClaimStore reopen(StoreSettings settings) {
    return builder(settings).open();
  }

  @Override
  public ClaimStore openBeside(StoreSettings settings) {
    return reopen(settings);
  }

  @Override
  public void plantUnknownState(Claim claim) {
    Pools.run(source, "UPDATE onlyonce_claim SET state = 9, expires_ms = 1");
  }

  @AfterAll
  static void close() {
    Pools.close();
  }
}
