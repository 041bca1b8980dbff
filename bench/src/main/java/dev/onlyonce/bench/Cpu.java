package dev.onlyonce.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Counts the processor's time that a benchmark takes beside the time on the clock, of which on a
 * busy machine others have a part. What collectors and compilers do on threads of their own is not
 * in it.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Cpu {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Read by JMH. */
  public long cpuNanos;

  /** Read by JMH. */
  public long operations;

  /** What is measured; returns how many keys were new. */
  interface Work {
    long run();
  }

  /** Does this work, which is so many operations. */
  long measure(int count, Work work) {
    long before = THREADS.getCurrentThreadCpuTime();
    long fresh = work.run();
    cpuNanos += THREADS.getCurrentThreadCpuTime() - before;
    operations += count;
    return fresh;
  }
}
