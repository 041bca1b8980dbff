package dev.onlyonce.testkit;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.spi.ClaimStore;
import java.time.Duration;

/** The contract is fair to a store whose clock is out of the test's hands. */
class MemoryStoreOnServerClockContractTest extends ClaimStoreContract implements ServerClock {

  @Override
  public ClaimStore open(StoreSettings settings) {
    return MemoryStore.builder()
        .purgeGrace(settings.purgeGrace())
        .clockTolerance(settings.clockTolerance())
        .owner(settings.owner())
        .forgetful()
        .build();
  }

  @Override
  public Duration unit() {
    return Duration.ofMillis(50);
  }
}
