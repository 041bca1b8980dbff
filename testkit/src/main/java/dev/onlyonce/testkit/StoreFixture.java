package dev.onlyonce.testkit;

import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Limits;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a store's test tells the contracts about the store. JUnit makes a new instance for every
 * test method; a field may hold what a test opens.
 *
 * <p>{@link ManualClockContract} and {@link ServerClock} say how time passes; a store's test
 * implements one of the two.
 */
@ExtendWith(LabExtension.class)
public interface StoreFixture {

  /** Opens the store with these settings, empty. The contract closes it after the test. */
  ClaimStore open(StoreSettings settings);

  /**
   * Lets time pass for the store: when this returns, its clock has moved on by at least that much.
   */
  void pass(Duration duration);

  /**
   * The step in which the contract's time tables count. A store whose clock cannot be moved by hand
   * needs some calls to take less than one; a table that was overtaken by the real time is tried
   * again a few times.
   */
  Duration unit();

  /** How many threads race; at least 2. */
  default int threads() {
    return 8;
  }

  /** How many items a batch of the store may have; at least 50. */
  default int batchLimit() {
    return Limits.BATCH;
  }
}
