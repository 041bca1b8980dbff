package dev.onlyonce.app.cli;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.dedup.KeysInState;
import dev.onlyonce.store.local.LocalReader;
import dev.onlyonce.store.local.LocalStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;
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

  /**
   * Opens it for reading, also beside a program that writes. A store that goes by the time of its
   * records is read by that, too.
   *
   * @param notices is told what that time is
   */
  LocalReader read(Consumer<String> notices) {
    LocalReader reader = open();
    if (KeysInState.goesByRecords(reader)) {
      reader.atLastRecord();
      notices.accept(
          "%s goes by the time of its records, which is %s now"
              .formatted(directory, Instant.ofEpochMilli(reader.millis())));
    }
    return reader;
  }

  /** Opens it for reading, to show what {@link #write} could change; refuses what that does. */
  LocalReader preview() {
    LocalReader reader = open();
    if (KeysInState.goesByRecords(reader)) {
      reader.close();
      throw otherTime();
    }
    return reader;
  }

  private LocalReader open() {
    requireDirectory();
    return LocalReader.open(directory);
  }

  /**
   * Opens it for writing, which is refused while another program writes, and if the store goes by
   * another time than ours.
   */
  LocalStore write(String owner) {
    requireDirectory();
    LocalStore store = LocalStore.at(directory).existing().trustClock().owner(owner).open();
    if (KeysInState.goesByRecords(store)) {
      store.close();
      throw otherTime();
    }
    return store;
  }

  private Failure otherTime() {
    return Failure.usage(
        directory
            + " is the state of a dedup --time, whose clock stands at the time of its records;"
            + " changing it by this machine's clock would make them late");
  }

  private void requireDirectory() {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw Failure.usage(
          "--state " + directory + " is a file; name the directory that the store is in");
    }
  }
}
