package dev.onlyonce.testkit.process;

import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import dev.onlyonce.testkit.process.TcpFaultProxy.Traffic;
import java.util.SplittableRandom;

/** The faults and figures of one direction; belongs to the thread of the proxy. */
final class ProxyFaults {
  private static final int RATE_STEPS_PER_SECOND = 50;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private long delayNanos;
  private long jitterNanos;
  private long seed;
  private long bytesPerSecond = Long.MAX_VALUE;
  private boolean stalled;
  private boolean losing;
  private long cutAfterBytes;
  private Ending cutEnding = Ending.RST;
  private int cutsLeft;

  private long cuts;
  private long receivedBytes;
  private long forwardedBytes;
  private long lostBytes;

  void delay(long fixedNanos, long upToNanosMore, long seedOfDelays) {
    delayNanos = fixedNanos;
    jitterNanos = upToNanosMore;
    seed = seedOfDelays;
  }

  void limitRate(long perSecond) {
    bytesPerSecond = perSecond;
  }

  void stall() {
    stalled = true;
  }

  void resume() {
    stalled = false;
  }

  void lose() {
    losing = true;
  }

  void cutAfter(long bytes, Ending ending, int times) {
    cutAfterBytes = bytes;
    cutEnding = ending;
    cutsLeft = times;
  }

  void heal() {
    delay(0, 0, 0);
    limitRate(Long.MAX_VALUE);
    resume();
    losing = false;
    cutsLeft = 0;
  }

  boolean isStalled() {
    return stalled;
  }

  boolean isLosing() {
    return losing;
  }

  /** How many of the bytes may go before the connection is cut, of which some went already. */
  long bytesUntilCut(long alreadyForwarded) {
    return cutsLeft > 0 ? Math.max(0, cutAfterBytes - alreadyForwarded) : Long.MAX_VALUE;
  }

  Ending takeCut() {
    cutsLeft--;
    cuts++;
    return cutEnding;
  }

  /** How much to read at once, small enough to keep a limited rate even. */
  int pieceBytes(int limit) {
    return (int) Math.max(1, Math.min(limit, bytesPerSecond / RATE_STEPS_PER_SECOND));
  }

  /** When a piece may go that is received now, after one that may go at {@code previousNanos}. */
  long releaseNanos(long nowNanos, long previousNanos, int bytes, long connection, long piece) {
    long arrives = nowNanos + delayNanos + jitter(connection, piece);
    long after = arrives - previousNanos < 0 ? previousNanos : arrives;
    boolean limited = bytesPerSecond < Long.MAX_VALUE;
    return after + (limited ? bytes * NANOS_PER_SECOND / bytesPerSecond : 0);
  }

  private long jitter(long connection, long piece) {
    long place = connection * 0x9E3779B97F4A7C15L + piece;
    return jitterNanos == 0 ? 0 : new SplittableRandom(seed ^ place).nextLong(jitterNanos + 1);
  }

  void received(long bytes) {
    receivedBytes += bytes;
  }

  void forwarded(long bytes) {
    forwardedBytes += bytes;
  }

  void lost(long bytes) {
    lostBytes += bytes;
  }

  long cuts() {
    return cuts;
  }

  Traffic traffic() {
    return new Traffic(receivedBytes, forwardedBytes, lostBytes);
  }
}
