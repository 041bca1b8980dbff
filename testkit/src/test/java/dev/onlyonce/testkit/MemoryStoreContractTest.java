package dev.onlyonce.testkit;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimStore;
import java.time.Duration;

class MemoryStoreContractTest extends ClaimStoreContract
    implements ManualClockContract, ClaimReaderContract, BoundedStoreContract {

  private final ManualTime time = new ManualTime();

  @Override
  public ManualTime time() {
    return time;
  }

  @Override
  public ClaimStore open(StoreSettings settings) {
    return builder(settings).build();
  }

  @Override
  public ClaimStore openBounded(long capacity) {
    return builder(StoreSettings.defaults().withPurgeGrace(Duration.ZERO))
        .capacity(capacity)
        .build();
  }

  private MemoryStore.Builder builder(StoreSettings settings) {
    return MemoryStore.builder()
        .time(time)
        .purgeGrace(settings.purgeGrace())
        .clockTolerance(settings.clockTolerance())
        .owner(settings.owner())
        .forgetful();
  }

  @Override
  public ClaimReader reader(ClaimStore store) {
    return (ClaimReader) store;
  }
}
