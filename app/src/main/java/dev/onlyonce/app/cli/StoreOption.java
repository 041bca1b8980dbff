package dev.onlyonce.app.cli;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.dedup.KeysInState;
import dev.onlyonce.store.local.LocalReader;
import dev.onlyonce.store.local.LocalStore;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Which store a command is about. */
final class StoreOption {

  @Option(
      names = "--state",
      paramLabel = "DIR",
      required = true,
      description = "The directory of the local store.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path directory;

  /** Opens it for reading, also beside a program that writes. */
  LocalReader read() {
    return LocalReader.open(directory);
  }

  /**
   * Opens it for writing, which is refused while another program writes, and if the store goes by
   * another time than ours.
   */
  LocalStore write(String owner) {
    LocalStore store = LocalStore.at(directory).existing().trustClock().owner(owner).open();
    if (KeysInState.goesByRecords(store)) {
      store.close();
      throw Failure.usage(
          directory
              + " is the state of a dedup --time, whose clock stands at the time of its records;"
              + " changing it by this machine's clock would make them late");
    }
    return store;
  }
}
