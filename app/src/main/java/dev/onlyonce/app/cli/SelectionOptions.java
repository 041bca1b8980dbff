package dev.onlyonce.app.cli;

import dev.onlyonce.Scope;
import dev.onlyonce.app.claims.Selection;
import dev.onlyonce.app.claims.Standing;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which of many records are meant. */
final class SelectionOptions {

  @Option(
      names = "--key-prefix",
      paramLabel = "TEXT",
      description = "Only keys that are shown with this at their beginning.")
  private String keyPrefix = "";

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description = "Only keys that have not changed for this long, as in 15m, 24h or 7d.")
  private @Nullable Duration olderThan;

  @Option(
      names = "--newer-than",
      paramLabel = "TIME",
      description = "Only keys that have changed within this time.")
  private @Nullable Duration newerThan;

  /** Returns the records in a scope, or in all scopes, that these options leave. */
  Selection in(@Nullable Scope scope) {
    Set<Standing> all = EnumSet.allOf(Standing.class);
    return new Selection(scope, all, keyPrefix, olderThan, newerThan);
  }

  /** Tells whether any of them was given. */
  boolean narrow() {
    return !keyPrefix.isEmpty() || olderThan != null || newerThan != null;
  }
}
