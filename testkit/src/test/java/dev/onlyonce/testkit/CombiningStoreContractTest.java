package dev.onlyonce.testkit;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.CombiningStore;

class CombiningStoreContractTest extends ClaimStoreContract implements ManualClockContract {

  private final ManualTime time = new ManualTime();

  @Override
  public ManualTime time() {
    return time;
  }

  @Override
  public ClaimStore open(StoreSettings settings) {
    return CombiningStore.over(
        MemoryStore.builder()
            .time(time)
            .purgeGrace(settings.purgeGrace())
            .clockTolerance(settings.clockTolerance())
            .owner(settings.owner())
            .forgetful()
            .build(),
        10);
  }
}
