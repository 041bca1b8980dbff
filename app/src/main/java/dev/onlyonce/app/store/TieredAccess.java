package dev.onlyonce.app.store;

import com.zaxxer.hikari.HikariDataSource;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.store.Finding.Level;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store of tiers that a YAML file names, which any number of programs may use. */
record TieredAccess(Path file) implements StoreAccess {

  private static final String LOOKING = "onlyonce";
  private static final String NO_COPIES =
      "there are no copies, every duplicate asks the database: ";
  private static final String MAY_LOSE_COPIES =
      "Redis may lose copies, as it is set: each asks the database then, and nothing runs twice; but a"
          + " reset by an operator may be hidden by its copy once more, for copies-kept at the most";

  @Override
  public OpenReader look(Consumer<String> notices) {
    return preview();
  }

  /** Opens the authority alone: looking neither pairs stores nor leaves beats or copies. */
  @Override
  public OpenReader preview() {
    TierFile tiers = TierFile.read(file);
    return named(() -> preview(tiers));
  }

  private static OpenReader preview(TierFile tiers) {
    TierFile.Fast fast = tiers.fast();
    HikariDataSource pool = tiers.database().connect();
    boolean opened = false;
    try {
      JdbcStore database = tiers.database().store(pool, LOOKING);
      // The database says first whether these are the tiers: there may be no Redis yet.
      ClaimReader behind = TieredStore.look(tiers.authority(), database, database);
      OpenReader reader =
          tiers.authority() == Authority.DATABASE || fast == null
              ? new OpenReader(behind, database::millis, pool::close)
              : front(tiers.authority(), database, existing(fast), pool);
      opened = true;
      return reader;
    } finally {
      if (!opened) {
        pool.close();
      }
    }
  }

  private static OpenReader front(
      Authority authority, JdbcStore database, RedisStore redis, HikariDataSource pool) {
    boolean opened = false;
    try {
      OpenReader reader =
          new OpenReader(
              TieredStore.look(authority, database, redis),
              redis::millis,
              () -> {
                redis.close();
                pool.close();
              });
      opened = true;
      return reader;
    } finally {
      if (!opened) {
        redis.close();
      }
    }
  }

  @Override
  public OpenStore change(String owner) {
    TierFile tiers = TierFile.read(file);
    return named(() -> change(tiers, owner));
  }

  private OpenStore change(TierFile tiers, String owner) {
    HikariDataSource pool = tiers.database().connect();
    boolean opened = false;
    try {
      TieredStore store = builder(tiers, pool, owner).open();
      opened = true;
      return new OpenStore(
          store,
          store,
          store::millis,
          () -> close(store, pool),
          () -> afterUse(tiers, pool, store));
    } finally {
      if (!opened) {
        pool.close();
      }
    }
  }

  private static List<Finding> afterUse(TierFile tiers, HikariDataSource pool, TieredStore store) {
    List<Finding> findings = new ArrayList<>(TierFindings.of(store.statistics()));
    TierFile.Fast fast = tiers.fast();
    if (fast != null) {
      clocks(tiers, fast, pool).ifPresent(findings::add);
    }
    return findings;
  }

  /** Compares the clocks; nothing where Redis does not answer, which is told elsewhere. */
  private static Optional<Finding> clocks(
      TierFile tiers, TierFile.Fast fast, HikariDataSource pool) {
    try (RedisStore redis = existing(fast)) {
      JdbcStore database = tiers.database().store(pool, LOOKING);
      redis.millis(); // the connection is there from now on
      long ahead = Clocks.ahead(redis::millis, database::millis);
      return Optional.of(TierFindings.clocks(tiers.authority(), ahead, tiers.clockMargin()));
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  private static RedisStore existing(TierFile.Fast fast) {
    return fast.redis().existing(it -> patient(it, fast));
  }

  private static void close(TieredStore store, HikariDataSource pool) {
    store.close();
    pool.close();
  }

  private static TieredStore.Builder builder(TierFile tiers, HikariDataSource pool, String owner) {
    TieredStore.Builder builder =
        TieredStore.with(tiers.authority())
            .database(tiers.database().store(pool, owner))
            .clockMargin(tiers.clockMargin())
            .closeWithin(tiers.closeWithin());
    TierFile.Fast fast = tiers.fast();
    if (fast != null) {
      builder.fast(() -> redis(fast, tiers.authority(), owner));
    }
    if (tiers.authority() == Authority.REDIS) {
      builder.behind(tiers.behind().keys(), tiers.behind().patience());
    } else if (fast != null) {
      builder.copiesKeptFor(fast.copiesKept()).slowFrom(fast.slowFrom());
    }
    TierFile.Near near = tiers.near();
    if (near != null) {
      builder.near(near.memory(), near.kept());
    }
    TierFile.Filter filter = tiers.filter();
    if (filter != null) {
      builder.filter(KeyFilter.forKeys(filter.keys()).errorRate(filter.errorRate()).scalable());
    }
    return builder;
  }

  private static RedisStore redis(TierFile.Fast fast, Authority authority, String owner) {
    return fast.redis()
        .open(
            owner,
            it -> {
              patient(it, fast);
              // Copies may be lost at any time, so a shard of them is made anew, without a word.
              return authority == Authority.DATABASE
                  ? it.patience(Duration.ZERO).remakeLostShards().withoutWarnings()
                  : it;
            });
  }

  /** Says how long and for whom the store in Redis waits. */
  private static RedisStore.Builder patient(RedisStore.Builder builder, TierFile.Fast fast) {
    builder.timeout(fast.timeout());
    return fast.replicas() > 0 ? builder.waitForReplicas(fast.replicas(), fast.timeout()) : builder;
  }

  @Override
  public List<Finding> examine(@Nullable Load load) {
    TierFile tiers = TierFile.read(file);
    return named(() -> examine(tiers, load));
  }

  private static List<Finding> examine(TierFile tiers, @Nullable Load load) {
    List<Finding> findings = new ArrayList<>();
    findings.add(
        Finding.note(
            "authority",
            tiers.authority() == Authority.DATABASE
                ? "database: it alone says what is new; Redis may lose everything, and nothing runs"
                    + " twice"
                : "redis, database behind: what Redis loses before it is in the database runs"
                    + " again,"
                    + " up to %,d settled keys and all that are claimed"
                        .formatted(tiers.behind().keys())));
    for (Finding each : tiers.database().examine(load)) {
      findings.add(of("database ", each, false));
    }
    TierFile.Fast fast = tiers.fast();
    if (fast != null) {
      examine(fast, tiers.authority() == Authority.DATABASE, load, findings);
    }
    return findings;
  }

  private static void examine(
      TierFile.Fast fast, boolean isOfCopies, @Nullable Load load, List<Finding> findings) {
    try {
      List<Finding> found = fast.redis().examine(load, it -> patient(it, fast));
      boolean mayLoseCopies = isOfCopies && found.removeIf(RedisAccess::isOfSettings);
      found.forEach(it -> findings.add(of("redis ", it, isOfCopies)));
      if (mayLoseCopies) {
        findings.add(Finding.note("redis settings", MAY_LOSE_COPIES));
      }
    } catch (StoreException e) {
      if (!isOfCopies) {
        throw e;
      }
      findings.add(Finding.unsafe("redis", NO_COPIES + e.getMessage()));
    }
  }

  /** What is wrong with a tier of copies costs copies. */
  private static Finding of(String tier, Finding it, boolean isOfCopies) {
    if (isOfCopies && it.level() == Level.BROKEN) {
      return Finding.unsafe(tier + it.topic(), NO_COPIES + it.sentence());
    }
    return it.level() == Level.UNSAFE && isOfCopies
        ? Finding.note(tier + it.topic(), "of copies only: " + it.sentence())
        : new Finding(it.level(), tier + it.topic(), it.sentence());
  }

  @Override
  public int bytesPerKey() {
    TierFile tiers = TierFile.read(file);
    TierFile.Fast fast = tiers.fast();
    return tiers.database().bytesPerKey() + (fast == null ? 0 : fast.redis().bytesPerKey());
  }

  @Override
  public void requireTiers() {
    TierFile.read(file);
  }

  @Override
  public long rebuild() {
    TierFile tiers = TierFile.read(file);
    return named(() -> rebuild(tiers));
  }

  private long rebuild(TierFile tiers) {
    try (HikariDataSource pool = tiers.database().connect()) {
      return builder(tiers, pool, "rebuild").rebuild();
    }
  }

  /** Names the file to who has named nothing else: the addresses of the servers are in it. */
  private <T> T named(Supplier<T> work) {
    try {
      return work.get();
    } catch (StoreException e) {
      throw new StoreException(e.kind(), file + ": " + e.getMessage(), e);
    } catch (Failure e) {
      throw e.in(file.toString());
    }
  }

  /** Refuses a store that is useless, or wrong, without the other tiers. */
  static Failure refusedAlone(StoreAccess tier) {
    return Failure.files(
        "%s is one of the tiers of a store, with authority 'redis, database behind', and must not be"
                .formatted(tier)
            + " used alone; give --store tiered:FILE");
  }

  /** Copies of before the restore are of another pair then: nobody takes them for good. */
  @Override
  public String afterRestore() {
    if (TierFile.read(file).authority() != Authority.DATABASE) {
      return "";
    }
    rebuild();
    return "; copies of what was done after it, in Redis or in programs that still run, are not"
        + " used any more";
  }

  @Override
  public String toString() {
    return StoreAddress.TIERED + file;
  }
}
