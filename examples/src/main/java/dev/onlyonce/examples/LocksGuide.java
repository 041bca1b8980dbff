package dev.onlyonce.examples;

import dev.onlyonce.Locks;
import dev.onlyonce.spi.ClaimStore;
import java.time.Duration;
import java.util.Optional;

/** The piece of docs/guides/locks.md; a test compares it and runs it. */
final class LocksGuide {

  private final Archive archive;

  LocksGuide(Archive archive) {
    this.archive = archive;
  }

  /** Something that refuses tokens that are smaller than one that it has seen. */
  interface Archive {
    void write(String name, long token);
  }

  // region report
  boolean report(ClaimStore store) {
    try (Locks locks = Locks.builder(store).lease(Duration.ofSeconds(30)).build()) {
      Optional<Locks.Lock> lock = locks.tryLock("report-2024-05");
      if (lock.isEmpty()) {
        return false;
      }
      try (Locks.Lock held = lock.get()) {
        archive.write("report-2024-05", held.token());
        return true;
      }
    }
  }

  // endregion
}
