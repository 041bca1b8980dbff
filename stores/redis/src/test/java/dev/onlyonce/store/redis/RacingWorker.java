package dev.onlyonce.store.redis;

import dev.onlyonce.testkit.process.ProcessRace;

/** Races for the keys of a store; the arguments are its addresses. */
final class RacingWorker {

  private RacingWorker() {}

  public static void main(String[] args) {
    try (RedisStore store = RedisStore.at(args).open()) {
      ProcessRace.run(store);
    }
  }
}
