package dev.onlyonce.app.store;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.FileName;
import dev.onlyonce.store.jdbc.SqlDialect;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a store is, as {@code --store} and {@code ONLYONCE_STORE} say it. */
public final class StoreAddress {

  private static final String LOCAL = "local:";
  private static final String JDBC = "jdbc:";
  static final String TIERED = "tiered:";
  private static final List<String> REDIS =
      List.of("redis://", "rediss://", "redis-cluster://", "rediss-cluster://");

  private static final String A_FILE_NAMES_IT =
      "the file of a tiered store names the prefixes of its tiers";

  private StoreAddress() {}

  /**
   * Returns how to come to the store of an address.
   *
   * @param prefix what its keys in Redis or its tables begin with; null for the usual one
   * @throws Failure if it is none
   */
  public static StoreAccess access(
      String address, Credentials credentials, @Nullable String prefix) {
    Path directory = localDirectory(address);
    if (directory != null) {
      credentials.refuseFor("a local store");
      refuse(prefix, "a local store has no prefix");
      return new LocalAccess(directory);
    }
    if (address.startsWith(JDBC)) {
      return database(address, credentials, prefix);
    }
    if (isTiered(address)) {
      credentials.refuseFor("a tiered store, whose file names the users of its servers,");
      refuse(prefix, A_FILE_NAMES_IT);
      return new TieredAccess(fileOf(address));
    }
    if (isRedis(address)) {
      return new RedisAccess(address, credentials, prefix == null ? RedisAccess.PREFIX : prefix);
    }
    throw notAnAddress(address);
  }

  private static DatabaseAccess database(
      String url, Credentials credentials, @Nullable String prefix) {
    try {
      return new DatabaseAccess(url, credentials, prefix == null ? DatabaseAccess.PREFIX : prefix);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--prefix: " + e.getMessage());
    }
  }

  private static void refuse(@Nullable String prefix, String why) {
    if (prefix != null) {
      throw Failure.usage(why + "; leave out --prefix");
    }
  }

  /**
   * Returns what the tables of a store in a database, or of a tiered one, begin with.
   *
   * @param prefix what was said; null for the usual one
   */
  public static @Nullable String tablePrefix(String address, @Nullable String prefix) {
    if (!isTiered(address)) {
      return prefix;
    }
    refuse(prefix, A_FILE_NAMES_IT);
    return TierFile.read(fileOf(address)).database().prefix();
  }

  /**
   * Returns what kind of database a JDBC URL leads to, or that of a tiered store.
   *
   * @throws Failure if it is neither
   */
  public static SqlDialect dialect(String address) {
    if (isTiered(address)) {
      return new DatabaseUrl(TierFile.read(fileOf(address)).database().url()).dialect();
    }
    if (!address.startsWith(JDBC)) {
      throw Failure.usage(
          "a schema is for a database, and %s is none; give --dialect or a jdbc: URL"
              .formatted(Credentials.hidden(address)));
    }
    return new DatabaseUrl(address).dialect();
  }

  /** Returns the directory of a local store; null if the address is of another one. */
  public static @Nullable Path localDirectory(String address) {
    if (!address.startsWith(LOCAL)) {
      return null;
    }
    if (address.length() == LOCAL.length()) {
      throw notAnAddress(address);
    }
    return FileName.path(address.substring(LOCAL.length()));
  }

  static boolean isRedis(String address) {
    return REDIS.stream().anyMatch(address::startsWith);
  }

  private static boolean isTiered(String address) {
    return address.startsWith(TIERED) && address.length() > TIERED.length();
  }

  private static Path fileOf(String address) {
    return FileName.path(address.substring(TIERED.length()));
  }

  private static Failure notAnAddress(String address) {
    return Failure.usage(
        "'%s' is no address of a store; write local:DIR, jdbc:..., redis://HOST:PORT,"
                .formatted(Credentials.hidden(address))
            + " redis-cluster://HOST:PORT,HOST:PORT or tiered:FILE.yaml");
  }
}
