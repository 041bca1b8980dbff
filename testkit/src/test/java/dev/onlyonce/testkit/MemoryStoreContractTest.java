package dev.onlyonce.testkit;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.spi.ClaimStore;

class MemoryStoreContractTest extends ClaimStoreContract
    implements ManualClockContract, ClaimReaderContract, BoundedStoreContract {

  private final ManualTime time = new ManualTime();

  @Override
  public ManualTime time() {
    return time;
  }

  @Override
  public ClaimStore open(StoreSettings settings) {
    return MemoryStore.builder()
        .time(time)
        .purgeGrace(settings.purgeGrace())
        .clockTolerance(settings.clockTolerance())
        .owner(settings.owner())
        .capacity(settings.capacity())
        .forgetful()
        .build();
  }
}
