package dev.onlyonce.app.cli;

import dev.onlyonce.Scope;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.dedup.EventClock;
import dev.onlyonce.app.dedup.KeyExpressions;
import dev.onlyonce.app.dedup.KeysInState;
import dev.onlyonce.app.dedup.KeysInStore;
import dev.onlyonce.app.dedup.SeenKeys;
import dev.onlyonce.app.store.Finding;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.app.store.StoreAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the keys of a run are kept for the next ones. */
final class KeepOptions {

  @Option(
      names = "--state",
      paramLabel = "DIR",
      description = {
        "Remember keys in this directory, across runs and crashes; it is made if need be. Output"
            + " files are written on instead of replaced. After a run that was interrupted, the same"
            + " command goes on where that came to: what it wrote last and had not made sure of is cut"
            + " off, and records that it had delivered are counted as resumed."
      })
  private @Nullable Path state;

  @Option(
      names = "--store",
      paramLabel = "ADDRESS",
      description = {
        "Remember keys in this store, which other runs may use at the same time: jdbc:..., redis://...,"
            + " redis-cluster://... or tiered:FILE.yaml; local:DIR is --state DIR. Keys are kept for"
            + " good unless --window says for how long. Output files are written on. After a run that"
            + " was interrupted, the records that it wrote last may be written once more."
      })
  private @Nullable String store;

  @Option(
      names = "--scope",
      paramLabel = "NAME",
      description = "With --store: the name of this job. Runs with the same name share keys.")
  private @Nullable Scope scope;

  @Mixin private AccessOptions access = new AccessOptions();

  private Supplier<List<Finding>> afterUse = List::of;

  /** Tells whether keys are kept at all. */
  boolean isGiven() {
    return state != null || store != null;
  }

  /** Refuses what does not go together. */
  void check(boolean hasTime) {
    if (state != null && store != null) {
      throw Failure.usage("--state and --store name a store each; leave out one of them");
    }
    boolean isShared = isGiven() && directory() == null;
    if (isShared && hasTime) {
      throw Failure.usage(
          "--time needs a clock of its own, which a shared store has not; keep keys with --state,"
              + " or leave out --time");
    }
    if (isShared && scope == null) {
      throw Failure.usage(
          "--store needs --scope NAME, the name of this job: runs with the same name share keys");
    }
    if (!isShared && scope != null) {
      throw Failure.usage("--scope goes with a --store that other runs may use; leave it out");
    }
    if (!isShared && access.prefix() != null) {
      throw Failure.usage("--prefix goes with a --store in Redis or a database; leave it out");
    }
  }

  private @Nullable Path directory() {
    return store == null ? state : StoreAddress.localDirectory(store);
  }

  /** Opens what was given. */
  Optional<SeenKeys> open(
      KeyExpressions expressions, @Nullable EventClock clock, Consumer<String> notices) {
    Path directory = directory();
    if (directory != null) {
      return Optional.of(KeysInState.open(directory, expressions, clock, notices));
    }
    if (store == null || scope == null) {
      return Optional.empty();
    }
    OpenStore opened = access.access(store).change("dedup");
    afterUse = opened.afterUse();
    return Optional.of(new KeysInStore(opened.claims(), opened::close, scope, notices));
  }

  /** Returns what there is to say of the store that was opened, while it is open. */
  List<Finding> afterUse() {
    return afterUse.get();
  }
}
