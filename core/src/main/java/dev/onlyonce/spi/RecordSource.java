package dev.onlyonce.spi;

import java.util.List;
import java.util.Optional;

/**
 * Looks at many records at once: how the tiers of a tiered store are asked, and stores rebuilt from
 * one another. What it returns is an observation, as with {@link ClaimReader}: only a claim
 * decides.
 *
 * <p><b>Thread-safety.</b> Any number of threads. <b>Failure.</b> {@link StoreException}.
 */
public interface RecordSource {

  /**
   * Returns the record of each key, in order; nothing where it is absent or has expired. Records
   * have their key, whether the format keeps it or not.
   */
  List<Optional<ClaimRecord>> find(List<RecordId> ids);
}
