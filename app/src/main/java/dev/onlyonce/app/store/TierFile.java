package dev.onlyonce.app.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.FileName;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a YAML file says of the tiers of a store. Anything that is not known, is missing or makes no
 * sense is refused with file, line and field.
 *
 * @param authority the tier that says "new"
 * @param database where the database is
 * @param fast where Redis is; null if there is none
 * @param near the near cache; null if there is none
 * @param filter the filter; null if there is none
 * @param behind what may wait for the database, with Redis as the authority
 * @param clockMargin how much before its expiry a copy is no longer used
 * @param closeWithin how long closing waits for what is to be written
 */
record TierFile(
    Authority authority,
    DatabaseAccess database,
    @Nullable Fast fast,
    @Nullable Near near,
    @Nullable Filter filter,
    Behind behind,
    Duration clockMargin,
    Duration closeWithin) {

  private static final String AUTHORITY = "authority";
  private static final String DATABASE = "database";
  private static final String FAST = "redis";
  private static final String NEAR = "near";
  private static final String FILTER = "filter";
  private static final String BEHIND = "behind";
  private static final String CLOCK_MARGIN = "clock-margin";
  private static final String CLOSE_WITHIN = "close-within";
  private static final String COPIES_KEPT = "copies-kept";
  private static final String SLOW_FROM = "slow-from";
  private static final String URL = "url";
  private static final String USER = "user";
  private static final String PASSWORD_FILE = "password-file";
  private static final String PASSWORD_ENV = "password-env";
  private static final String PREFIX = "prefix";
  private static final String TIMEOUT = "timeout";
  private static final String REPLICAS = "replicas";
  private static final String ERROR_RATE = "error-rate";

  /** Filters of any error rate have room for so many; more are not held by a machine's memory. */
  private static final long MOST_KEYS = 1_000_000_000;

  /**
   * @param copiesKept how long a copy is good
   * @param slowFrom from when on a look-up of copies is slow
   * @param timeout how long an answer is waited for
   * @param replicas how many replicas must have what was written
   */
  record Fast(
      RedisAccess redis, Duration copiesKept, Duration slowFrom, Duration timeout, int replicas) {}

  /**
   * @param memory bytes
   * @param kept how long an entry is good
   */
  record Near(long memory, Duration kept) {}

  /**
   * @param keys how many it has room for at first
   * @param errorRate the part of new keys that it takes for known
   */
  record Filter(long keys, double errorRate) {}

  /**
   * @param keys how many wait at the most
   * @param patience how long a caller waits for room
   */
  record Behind(int keys, Duration patience) {}

  /**
   * Reads a file.
   *
   * @throws Failure if it is not as it should be
   */
  static TierFile read(Path file) {
    try {
      return of(file, Files.readString(file, UTF_8));
    } catch (IOException e) {
      throw Failure.io("cannot read " + file, e);
    }
  }

  private static TierFile of(Path file, String text) {
    YamlFields all = YamlFields.of(file.toString(), text);
    all.allow(Set.of(AUTHORITY, DATABASE, FAST, NEAR, FILTER, BEHIND, CLOCK_MARGIN, CLOSE_WITHIN));
    Authority authority = authority(all);
    @Nullable YamlFields database = all.below(DATABASE);
    if (database == null) {
      throw all.refused(DATABASE, "is missing; write its url below it");
    }
    DatabaseAccess there = database(file, database);
    boolean isAuthority = authority == Authority.DATABASE;
    if (!all.has(FAST) && (!isAuthority || !all.has(NEAR) || all.has(FILTER))) {
      throw all.refused(
          FAST, "is missing; with authority 'database' and a near cache alone it may be left out");
    }
    if (all.has(FILTER) && !isAuthority) {
      throw all.refused(FILTER, "goes with authority 'database'; leave it out");
    }
    if (all.has(BEHIND) && isAuthority) {
      throw all.refused(BEHIND, "goes with authority 'redis, database behind'; leave it out");
    }
    TieredStore.Builder limits = TieredStore.with(authority); // it knows what it takes
    return new TierFile(
        authority,
        there,
        fast(file, all.below(FAST), isAuthority, limits),
        near(all.below(NEAR), limits),
        filter(all.below(FILTER)),
        behind(all.below(BEHIND)),
        all.duration(CLOCK_MARGIN, Duration.ofSeconds(1)),
        all.duration(CLOSE_WITHIN, Duration.ofSeconds(30)));
  }

  private static Authority authority(YamlFields all) {
    String text = all.required(AUTHORITY, "database");
    try {
      return Authority.of(text);
    } catch (IllegalArgumentException e) {
      throw all.refused(
          AUTHORITY, "must be 'database' or 'redis, database behind', was '" + text + "'");
    }
  }

  private static DatabaseAccess database(Path file, YamlFields fields) {
    fields.allow(Set.of(URL, USER, PASSWORD_FILE, PASSWORD_ENV, PREFIX));
    String url = fields.required(URL, "jdbc:postgresql://HOST/DATABASE");
    if (!url.startsWith("jdbc:")) {
      throw fields.refused(URL, "must begin with jdbc:, was " + Credentials.hidden(url));
    }
    DatabaseUrl address = new DatabaseUrl(url);
    String fault = address.fault();
    if (fault != null) {
      throw fields.refused(URL, "%s; write it as in %s".formatted(fault, address.example()));
    }
    String prefix = fields.text(PREFIX);
    try {
      return new DatabaseAccess(
          url, credentials(file, fields), prefix == null ? DatabaseAccess.PREFIX : prefix);
    } catch (IllegalArgumentException e) {
      throw fields.refused(PREFIX, "cannot be that of tables: " + e.getMessage());
    }
  }

  private static @Nullable Fast fast(
      Path file, @Nullable YamlFields fields, boolean isOfCopies, TieredStore.Builder limits) {
    if (fields == null) {
      return null;
    }
    fields.allow(
        Set.of(
            URL,
            USER,
            PASSWORD_FILE,
            PASSWORD_ENV,
            PREFIX,
            COPIES_KEPT,
            SLOW_FROM,
            TIMEOUT,
            REPLICAS));
    String url = fields.required(URL, "redis://HOST:6379");
    if (!StoreAddress.isRedis(url)) {
      throw fields.refused(
          URL, "must begin with redis:// or redis-cluster://, was " + Credentials.hidden(url));
    }
    for (String each : List.of(COPIES_KEPT, SLOW_FROM)) {
      if (!isOfCopies && fields.has(each)) {
        throw fields.refused(
            each, "goes with authority 'database': here the records are no copies");
      }
    }
    Duration kept = fields.duration(COPIES_KEPT, Duration.ofHours(1));
    fields.check(COPIES_KEPT, () -> limits.copiesKeptFor(kept));
    Duration timeout = fields.duration(TIMEOUT, Duration.ofMillis(isOfCopies ? 250 : 2_000));
    return new Fast(
        redis(file, fields, url, timeout),
        kept,
        fields.duration(SLOW_FROM, Duration.ofMillis(250)),
        timeout,
        (int) fields.count(REPLICAS, 0, 100));
  }

  private static RedisAccess redis(Path file, YamlFields fields, String url, Duration timeout) {
    String given = fields.text(PREFIX);
    String prefix = given == null ? "onlyonce-tiers" : given;
    RedisStore.Builder limits = RedisStore.at("localhost", 6379);
    fields.check(PREFIX, () -> limits.prefix(prefix));
    fields.check(TIMEOUT, () -> limits.timeout(timeout));
    Credentials credentials = credentials(file, fields);
    if (credentials.user() != null && credentials.password() == null) {
      throw fields.refused(USER, "needs a password; add password-file or password-env");
    }
    RedisAccess redis = new RedisAccess(url, credentials, prefix);
    fields.check(URL, redis::requireReadable);
    return redis;
  }

  private static @Nullable Near near(@Nullable YamlFields fields, TieredStore.Builder limits) {
    if (fields == null) {
      return null;
    }
    fields.allow(Set.of("memory", "kept"));
    long memory = fields.bytes("memory", "64MiB");
    Duration kept = fields.duration("kept", Duration.ofSeconds(10));
    fields.check("memory", () -> limits.near(memory, kept));
    return new Near(memory, kept);
  }

  private static @Nullable Filter filter(@Nullable YamlFields fields) {
    if (fields == null) {
      return null;
    }
    fields.allow(Set.of("keys", ERROR_RATE));
    long keys = fields.count("keys", 1_000_000, MOST_KEYS);
    double rate = fields.rate(ERROR_RATE, 0.001);
    fields.check(ERROR_RATE, () -> KeyFilter.forKeys(keys).errorRate(rate));
    return new Filter(keys, rate);
  }

  private static Behind behind(@Nullable YamlFields fields) {
    if (fields == null) {
      return new Behind(100_000, Duration.ofSeconds(10));
    }
    fields.allow(Set.of("keys", "patience"));
    int keys = (int) fields.count("keys", 100_000, 10_000_000);
    Duration patience = fields.duration("patience", Duration.ofSeconds(10));
    fields.check("keys", () -> TieredStore.with(Authority.REDIS).behind(keys, patience));
    return new Behind(keys, patience);
  }

  /** A file of a password is looked for beside the file that names it. */
  private static Credentials credentials(Path file, YamlFields fields) {
    String user = fields.text(USER);
    String secret = fields.text(PASSWORD_FILE);
    String variable = fields.text(PASSWORD_ENV);
    if (secret != null && variable != null) {
      throw fields.refused(PASSWORD_ENV, "says what password-file says; leave out one of them");
    }
    if (variable != null) {
      String password = System.getenv(variable);
      if (password == null) {
        throw fields.refused(PASSWORD_ENV, "names a variable that is not set: " + variable);
      }
      return new Credentials(user, password);
    }
    if (secret == null) {
      return new Credentials(user, null);
    }
    Path beside = file.toAbsolutePath().resolveSibling(path(fields, secret));
    try {
      String password = Files.readString(beside, UTF_8).lines().findFirst().orElse("");
      return new Credentials(user, password);
    } catch (IOException e) {
      throw fields.unreadable(PASSWORD_FILE, beside, e);
    }
  }

  private static Path path(YamlFields fields, String name) {
    try {
      return FileName.path(name);
    } catch (Failure e) {
      throw fields.refused(PASSWORD_FILE, "names no file: " + e.sentence());
    }
  }
}
