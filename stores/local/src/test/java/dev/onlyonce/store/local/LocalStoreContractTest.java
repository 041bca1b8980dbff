package dev.onlyonce.store.local;

import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.testkit.ClaimReaderContract;
import dev.onlyonce.testkit.ClaimStoreContract;
import dev.onlyonce.testkit.DurableStoreContract;
import dev.onlyonce.testkit.ManualClockContract;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.StoreSettings;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class LocalStoreContractTest extends ClaimStoreContract
    implements ManualClockContract, ClaimReaderContract, DurableStoreContract {

  @TempDir private Path directory;
  private final ManualTime time = new ManualTime();
  private int stores;

  @Override
  public ManualTime time() {
    return time;
  }

  @Override
  public ClaimStore open(StoreSettings settings) {
    stores++;
    return reopen(settings);
  }

  @Override
  public ClaimStore reopen(StoreSettings settings) {
    return LocalStore.at(directory.resolve("store-" + stores))
        .time(time)
        .purgeGrace(settings.purgeGrace())
        .clockTolerance(settings.clockTolerance())
        .owner(settings.owner())
        .segmentBytes(16_384)
        .open();
  }
}
