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

  private StoreAddress() {}

  /**
   * Returns how to come to the store of an address.
   *
   * @throws Failure if it is none
   */
  public static StoreAccess access(String address, Credentials credentials) {
    Path directory = localDirectory(address);
    if (directory != null) {
      credentials.refuseFor("a local store");
      return new LocalAccess(directory);
    }
    if (address.startsWith(JDBC)) {
      return new DatabaseAccess(address, credentials);
    }
    if (isTiered(address)) {
      credentials.refuseFor("a tiered store, whose file names the users of its servers,");
      return new TieredAccess(fileOf(address));
    }
    if (isRedis(address)) {
      return new RedisAccess(address, credentials);
    }
    throw notAnAddress(address);
  }

  /**
   * Returns what kind of database a JDBC URL leads to, or that of a tiered store.
   *
   * @throws Failure if it is neither
   */
  public static SqlDialect dialect(String address) {
    if (isTiered(address)) {
      return DatabaseAccess.dialectOf(TierFile.read(fileOf(address)).database().url());
    }
    if (!address.startsWith(JDBC)) {
      throw Failure.usage(
          "a schema is for a database, and %s is none; give --dialect or a jdbc: URL"
              .formatted(Credentials.hidden(address)));
    }
    return DatabaseAccess.dialectOf(address);
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
