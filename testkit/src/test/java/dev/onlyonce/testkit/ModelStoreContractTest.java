package dev.onlyonce.testkit;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import java.util.Objects;

/** The store that is broken on purpose elsewhere is whole as it is. */
class ModelStoreContractTest extends ClaimStoreContract
    implements ManualClockContract,
        SharedStoreContract,
        DurableStoreContract,
        UnknownStateContract {

  private final ManualTime time = new ManualTime();
  private ModelStore model = new ModelStore(time, StoreSettings.defaults());

  @Override
  public ManualTime time() {
    return time;
  }

  @Override
  public ClaimStore open(StoreSettings settings) {
    model = new ModelStore(time, settings);
    return new StoreHandle(model);
  }

  @Override
  public ClaimStore openBeside(StoreSettings settings) {
    return new StoreHandle(model);
  }

  @Override
  public ClaimStore reopen(StoreSettings settings) {
    return new StoreHandle(model);
  }

  ModelStore model() {
    return model;
  }

  @Override
  public void plantUnknownState(Claim claim) {
    ClaimRecord found = Objects.requireNonNull(model.find(claim.scope(), claim.key()));
    model.put(
        new ClaimRecord(
            found.scope(),
            found.key(),
            ClaimState.UNKNOWN,
            found.token(),
            found.requestId(),
            found.attempt(),
            0,
            0,
            0,
            found.lapse(),
            found.fingerprint(),
            found.result(),
            found.checkpoint(),
            found.owner(),
            found.createdAtMillis(),
            found.updatedAtMillis()));
  }
}
