package dev.onlyonce.app.cli;

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

  /** Opens it for writing, which is refused while another program writes. */
  LocalStore write(String owner) {
    return LocalStore.at(directory).existing().trustClock().owner(owner).open();
  }
}
