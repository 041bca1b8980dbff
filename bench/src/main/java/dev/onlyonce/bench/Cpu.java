package dev.onlyonce.bench;

import com.sun.management.OperatingSystemMXBean;
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
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

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

  /** Does the same with work that has threads of its own: the whole process counts. */
  long measureProcess(int count, Work work) {
    long before = PROCESS.getProcessCpuTime();
    long fresh = work.run();
    cpuNanos += PROCESS.getProcessCpuTime() - before;
    operations += count;
    return fresh;
  }
}
