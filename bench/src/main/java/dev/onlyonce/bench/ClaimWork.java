package dev.onlyonce.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.Key;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.store.jdbc.JdbcStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Claims of the JDBC store, so many a call. */
final class ClaimWork implements DatabaseWork {

  static final int BATCH = 1_000;

  private final HikariDataSource pool;
  private final ClaimStore store;
  private final Supplier<byte[]> keys;
  private final int batch;
  private final int threads;
  private final boolean isVirtual;
  private final boolean areNew;

  private ClaimWork(
      HikariDataSource pool,
      ClaimStore store,
      Supplier<byte[]> keys,
      int batch,
      int threads,
      boolean isVirtual,
      boolean areNew) {
    this.pool = pool;
    this.store = store;
    this.keys = keys;
    this.batch = batch;
    this.threads = threads;
    this.isVirtual = isVirtual;
    this.areNew = areNew;
  }

  static void createTables(String url) {
    try (HikariDataSource pool = pool(url, 1)) {
      JdbcStore.on(pool).createTables().open().close();
    }
  }

  static HikariDataSource pool(String url, int connections) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(DatabaseKind.of(url).settled(url));
    pool.setMaximumPoolSize(connections);
    return pool;
  }

  /** Returns keys that nobody had before, be it in an earlier run on the same database. */
  static Supplier<byte[]> newKeys() {
    AtomicLong next = new AtomicLong(System.nanoTime() << 20);
    LongSupplier number = next::getAndIncrement;
    return () -> MessageKeys.get(number.getAsLong());
  }

  /** Returns keys at random from those of {@link StoredKeys} that have even numbers. */
  static Supplier<byte[]> storedKeys(int keys) {
    return () -> StoredKeys.get(2L * ThreadLocalRandom.current().nextInt(keys / 2));
  }

  static DatabaseWork ofNewKeys(String url) {
    HikariDataSource pool = pool(url, 1);
    return new ClaimWork(pool, JdbcStore.open(pool), newKeys(), BATCH, 1, false, true);
  }

  static DatabaseWork ofStoredKeys(String url, int keys) {
    HikariDataSource pool = pool(url, 1);
    return new ClaimWork(pool, JdbcStore.open(pool), storedKeys(keys), BATCH, 1, false, false);
  }

  static DatabaseWork combined(String url, int threads, boolean isVirtual) {
    HikariDataSource pool = pool(url, 1);
    ClaimStore store = CombiningStore.over(JdbcStore.on(pool).createTables().open());
    return new ClaimWork(pool, store, newKeys(), 1, threads, isVirtual, true);
  }

  @Override
  public int step() {
    List<ClaimRequest> requests = new ArrayList<>(batch);
    for (int i = 0; i < batch; i++) {
      requests.add(
          ClaimRequest.of(
              StoreMemory.SCOPE,
              Key.ofBytes(keys.get()),
              ThreadLocalRandom.current().nextLong(),
              Limits.LEASE,
              Lapse.TAKE));
    }
    int fresh = 0;
    for (Answer answer : store.claim(requests)) {
      fresh += answer instanceof Answer.Claimed ? 1 : 0;
    }
    DatabaseWork.require(areNew ? batch : 0, fresh);
    return batch;
  }

  @Override
  public int threads() {
    return threads;
  }

  @Override
  public boolean isVirtual() {
    return isVirtual;
  }

  @Override
  public void close() {
    store.close();
    pool.close();
  }
}
