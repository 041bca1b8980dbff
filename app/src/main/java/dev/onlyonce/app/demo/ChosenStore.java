package dev.onlyonce.app.demo;

import dev.onlyonce.app.store.Credentials;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.app.store.StoreAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store that the user has chosen for the worker's claims, instead of one in a temporary folder.
 * Workers are told of it by their environment, which other users cannot read.
 *
 * @param address where it is
 * @param credentials who we are there
 * @param prefix what its keys or tables begin with; null if that was not said
 * @param run a name for this run, so that it has keys of its own
 */
public record ChosenStore(
    String address, Credentials credentials, @Nullable String prefix, String run) {

  private static final String ADDRESS = "ONLYONCE_DEMO_STORE";
  private static final String USER = "ONLYONCE_DEMO_USER";
  private static final String PASSWORD = "ONLYONCE_DEMO_PASSWORD";
  private static final String PREFIX = "ONLYONCE_DEMO_PREFIX";
  private static final String RUN = "ONLYONCE_DEMO_RUN";

  /** Opens it. */
  public OpenStore open() {
    return StoreAddress.access(address, credentials, prefix).change("demo");
  }

  Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>(Map.of(ADDRESS, address, RUN, run));
    if (credentials.user() != null) {
      environment.put(USER, credentials.user());
    }
    if (credentials.password() != null) {
      environment.put(PASSWORD, credentials.password());
    }
    if (prefix != null) {
      environment.put(PREFIX, prefix);
    }
    return environment;
  }

  /** Returns what this process was told; null if nothing was chosen. */
  static @Nullable ChosenStore ofEnvironment() {
    String address = System.getenv(ADDRESS);
    String run = System.getenv(RUN);
    return address == null || run == null
        ? null
        : new ChosenStore(
            address,
            new Credentials(System.getenv(USER), System.getenv(PASSWORD)),
            System.getenv(PREFIX),
            run);
  }
}
