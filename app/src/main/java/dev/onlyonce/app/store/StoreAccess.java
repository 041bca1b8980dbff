package dev.onlyonce.app.store;

import java.util.function.Consumer;

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
   * Opens it to change what is there; nothing is made that is not there.
   *
   * @param owner whom changed records show
   */
  OpenStore change(String owner);
}
