package dev.onlyonce.app.store;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.dedup.KeysInState;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.local.LocalReader;
import dev.onlyonce.store.local.LocalStore;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A local store, which one program at a time may change. One that goes by the time of its records
 * is read by that, too, and not changed, since that would make them late.
 */
record LocalAccess(Path directory) implements StoreAccess {

  private static final int BYTES_PER_KEY = 48;
  private static final int LEAST_FREE_PERCENT = 5;
  private static final long MOST_AHEAD_MILLIS = 60_000;

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

  @Override
  public List<Finding> examine(@Nullable Load load) {
    try (LocalReader reader = read()) {
      List<Finding> findings = new ArrayList<>();
      findings.add(Finding.ok("log", "reads well to its end, " + directory));
      FileStore disk = Files.getFileStore(directory);
      long free = disk.getUsableSpace();
      long part = 100 * free / Math.max(1, disk.getTotalSpace());
      String room = "%s free, %d %%".formatted(Quantity.mebibytes(free), part);
      findings.add(
          part < LEAST_FREE_PERCENT
              ? Finding.unsafe("disk", room + ": when it is full, new keys are refused")
              : Finding.ok("disk", room));
      long ahead = reader.millis() - Time.system().millis();
      if (ahead > MOST_AHEAD_MILLIS && !KeysInState.goesByRecords(reader)) {
        findings.add(
            Finding.unsafe(
                "clock",
                "the store's time is %d s ahead of this machine's, whose clock was set back: keys"
                        .formatted(ahead / 1_000)
                    + " are kept for that much longer"));
      }
      return findings;
    } catch (IOException e) {
      throw Failure.io("cannot look at the disk of " + directory, e);
    }
  }

  @Override
  public int bytesPerKey() {
    return BYTES_PER_KEY;
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
