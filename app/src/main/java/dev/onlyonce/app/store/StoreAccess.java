package dev.onlyonce.app.store;

import dev.onlyonce.app.Failure;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How a command comes to a store. Nothing is opened before it asks for that. */
public interface StoreAccess {

  /**
   * Opens it for looking, also beside programs that use it.
   *
   * @param notices is told what the user must know of what is shown
   */
  OpenReader look(Consumer<String> notices);

  /** Opens it for looking at what {@link #change} could change; refuses what that does. */
  OpenReader preview();

  /**
   * Opens it to use it and to change what is there.
   *
   * @param owner whom changed records show
   */
  OpenStore change(String owner);

  /**
   * Tells whether there is a store, where {@link #change} would make one that is not there; true
   * where it would not.
   */
  default boolean isThere() {
    return true;
  }

  /**
   * Looks at what the store stands on: its server's settings, its disk.
   *
   * @param load what it is to carry; null if that is not known
   */
  List<Finding> examine(@Nullable Load load);

  /**
   * Refuses a store that is not one of tiers.
   *
   * @throws Failure if it is not
   */
  default void requireTiers() {
    throw Failure.usage(
        "only the tiers of a store tiered:FILE are rebuilt, %s has none".formatted(this));
  }

  /**
   * Makes the tiers of a store anew from what its database has.
   *
   * @return how many records were copied
   * @throws Failure if it has no tiers
   */
  default long rebuild() {
    requireTiers();
    return 0;
  }

  /**
   * Makes anew what a store in Redis has lost: all keys that were there are new.
   *
   * @throws Failure if it is not in Redis
   */
  default void remakeLostShards() {
    throw Failure.usage("only a store in Redis loses shards alone, %s has none".formatted(this));
  }

  /** Does what else is to be done after a restore; says so as the end of a sentence, or nothing. */
  default String afterRestore() {
    return "";
  }

  /** Returns about how many bytes a key takes that is done, without a result. */
  int bytesPerKey();
}
