package dev.onlyonce.app.demo;

import java.time.Duration;

/**
 * What was counted in one run.
 *
 * @param handling how the worker handled callbacks
 * @param deliveries how often the platform sent a copy of a callback, redeliveries included
 * @param effects how many charges the bank has booked
 * @param doubled how many payments were charged more than once
 * @param lost how many payments were never charged
 * @param resolved how many payments were in doubt and were decided by asking the bank
 * @param lookUps how many times the bank was asked for that
 * @param kills how many times the worker was killed
 * @param time how long it took, processes started and ended
 */
public record Figures(
    Handling handling,
    long deliveries,
    long effects,
    long doubled,
    long lost,
    long resolved,
    long lookUps,
    int kills,
    Duration time) {

  /** Tells whether each payment was charged once. */
  public boolean isOnce() {
    return doubled == 0 && lost == 0;
  }
}
