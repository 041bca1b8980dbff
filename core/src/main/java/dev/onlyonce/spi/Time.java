package dev.onlyonce.spi;

import java.time.InstantSource;

/**
 * The two clocks of a process: the wall clock, which may jump, and the monotonic one, by which all
 * local waits are measured. Main code asks for the time here and nowhere else.
 *
 * <p>Implementations are safe for use by several threads.
 */
public interface Time extends InstantSource {

  /** Returns nanoseconds since some fixed moment; never goes back. */
  long nanoTime();

  /** Returns the clocks of this machine. */
  static Time system() {
    return SystemTime.INSTANCE;
  }
}
