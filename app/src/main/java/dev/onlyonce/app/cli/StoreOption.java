package dev.onlyonce.app.cli;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.store.StoreAccess;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which store a command is about. */
final class StoreOption {

  /** For the exit codes of all commands that take a store. */
  static final String BAD_FILE = "3:the file of a tiered store is not as it should be";

  private static final String VARIABLE = "ONLYONCE_STORE";

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description = "The directory of the local store; the same as --store local:DIR.")
  private @Nullable Path directory;

  @Option(
      names = "--store",
      paramLabel = "ADDRESS",
      description = {
        "The store: local:DIR, jdbc:postgresql://HOST/DATABASE, jdbc:mariadb://HOST/DATABASE or"
            + " another JDBC URL, redis://HOST:PORT, redis-cluster://HOST:PORT, tiered:FILE.yaml."
            + " Without it and"
            + " --state, "
            + VARIABLE
            + " says it."
      })
  private @Nullable String address;

  @Mixin private AccessOptions access = new AccessOptions();

  /** Returns how to come to the store. */
  StoreAccess access() {
    if (directory != null && address != null) {
      throw Failure.usage("--state and --store name a store each; leave out one of them");
    }
    if (directory != null) {
      return access.access("local:" + directory);
    }
    String where = address == null ? System.getenv(VARIABLE) : address;
    if (where == null || where.isEmpty()) {
      throw Failure.usage(
          "say which store: --state DIR or --store ADDRESS (or " + VARIABLE + "=ADDRESS)");
    }
    return access.access(where);
  }
}
