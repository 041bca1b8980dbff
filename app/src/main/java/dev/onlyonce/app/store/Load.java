package dev.onlyonce.app.store;

import java.time.Duration;

/**
 * What a store is to carry.
 *
 * @param keysPerSecond how many new keys come each second, from 1
 * @param retention how long they are remembered
 */
public record Load(long keysPerSecond, Duration retention) {

  /** Returns how many keys are remembered at the same time. */
  public double keys() {
    return (double) keysPerSecond * retention.toSeconds();
  }
}
