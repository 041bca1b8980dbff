package dev.onlyonce.app.store;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.dedup.KeysInState;
import dev.onlyonce.store.local.LocalReader;
import dev.onlyonce.store.local.LocalStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * A local store, which one program at a time may change. One that goes by the time of its records
 * is read by that, too, and not changed, since that would make them late.
 */
record LocalAccess(Path directory) implements StoreAccess {

  @Override
  public OpenReader look(Consumer<String> notices) {
    LocalReader reader = read();
    if (KeysInState.goesByRecords(reader)) {
      reader.atLastRecord();
      notices.accept(
          "%s goes by the time of its records, which is %s now"
              .formatted(directory, Instant.ofEpochMilli(reader.millis())));
    }
    return open(reader);
  }

  @Override
  public OpenReader preview() {
    LocalReader reader = read();
    if (KeysInState.goesByRecords(reader)) {
      reader.close();
      throw otherTime();
    }
    return open(reader);
  }

  private LocalReader read() {
    requireDirectory();
    return LocalReader.open(directory);
  }

  private static OpenReader open(LocalReader reader) {
    return new OpenReader(reader, reader::millis, reader::close);
  }

  @Override
  public OpenStore change(String owner) {
    requireDirectory();
    LocalStore store = LocalStore.at(directory).existing().trustClock().owner(owner).open();
    if (KeysInState.goesByRecords(store)) {
      store.close();
      throw otherTime();
    }
    return new OpenStore(store, store, store::millis, store::close);
  }

  private Failure otherTime() {
    return Failure.usage(
        directory
            + " is the state of a dedup --time, whose clock stands at the time of its records;"
            + " changing it by this machine's clock would make them late");
  }

  private void requireDirectory() {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw Failure.usage(directory + " is a file; name the directory that the store is in");
    }
  }
}
