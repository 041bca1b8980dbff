package dev.onlyonce.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/**
 * Does one kind of work with one peer, on servers that are empty each time, some times to warm up
 * and as often to be measured. Prints nanoseconds a key: on the clock, of this process's CPU, of
 * the servers' CPU. The arguments are the work, the peer and the servers.
 */
public final class RedisRun {

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final RedisNodes nodes;
  private final RedisWork work;
  private final String peerName;
  private double nanos;
  private double cpuNanos;
  private double serverNanos;

  private RedisRun(RedisNodes nodes, RedisWork work, String peerName) {
    this.nodes = nodes;
    this.work = work;
    this.peerName = peerName;
  }

  /** Measures and prints. */
  public static void main(String[] args) throws Exception {
    RedisNodes nodes = new RedisNodes(List.of(args).subList(2, args.length));
    RedisRun run = new RedisRun(nodes, RedisWork.valueOf(args[0]), args[1]);
    for (int i = 0; i < Contender.ITERATIONS; i++) {
      run.once();
    }
    run.nanos = run.cpuNanos = run.serverNanos = 0;
    for (int i = 0; i < Contender.ITERATIONS; i++) {
      run.once();
    }
    double keys = (double) Contender.ITERATIONS * run.work.keys();
    System.out.printf(
        Locale.ROOT,
        "%.1f %.1f %.1f%n",
        run.nanos / keys,
        run.cpuNanos / keys,
        run.serverNanos / keys);
    System.out.flush();
    Runtime.getRuntime().halt(0); // some clients leave threads behind
  }

  private void once() throws Exception {
    nodes.empty(); // a store refuses to go on then: it is opened anew
    try (RedisPeer peer = RedisPeer.named(peerName, nodes.uris())) {
      work.prepare(peer);
      System.gc();
      long servers = nodes.cpuNanos();
      long cpu = PROCESS.getProcessCpuTime();
      long start = System.nanoTime();
      int right = work.run(peer);
      nanos += System.nanoTime() - start;
      cpuNanos += PROCESS.getProcessCpuTime() - cpu;
      serverNanos += nodes.cpuNanos() - servers;
      if (right != work.keys()) {
        throw new IllegalStateException(
            "%,d of %,d keys were not as they should be"
                .formatted(work.keys() - right, work.keys()));
      }
    }
  }
}
