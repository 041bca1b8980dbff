package dev.onlyonce.bench;

import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One of those that a row of the report compares: a benchmark method and what it is run with.
 *
 * @param contender the benchmark's parameter of that name
 * @param keys how many keys are there before, 0 where the benchmark says that itself
 */
record Contender(String name, String benchmark, String contender, int keys, int threads) {

  static final String HEAP_OF_MANY = "-Xms3g -Xmx3g";
  static final String JVM = "-Xms1500m -Xmx1500m -XX:+AlwaysPreTouch -XX:+UseParallelGC";
  static final int ITERATIONS = 3;

  private static final int MANY_KEYS = 5_000_000;

  /**
   * What a run has come to.
   *
   * @param nanos of one operation, all threads together
   * @param cpuNanos of one operation
   * @param bytes allocated by one operation
   */
  record Score(double nanos, double cpuNanos, double bytes) {}

  Contender(String name, String benchmark, String contender) {
    this(name, benchmark, contender, 0, 1);
  }

  Contender on(int otherThreads) {
    return new Contender(name, benchmark, contender, keys, otherThreads);
  }

  /** Runs the benchmark once, in a JVM of its own. */
  Score run() throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("\\." + benchmark.replace(".", "\\.") + "$")
            .param("contender", contender)
            .threads(threads)
            .forks(1)
            .jvmArgs((JVM + " " + Fork.temporaryFolder()).split(" "))
            .warmupIterations(ITERATIONS)
            .measurementIterations(ITERATIONS)
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    if (keys > 0) {
      options.param("keys", Integer.toString(keys));
    }
    if (keys > MANY_KEYS) {
      options.jvmArgsAppend(HEAP_OF_MANY.split(" "));
    }
    RunResult result = new Runner(options.build()).run().iterator().next();
    return new Score(
        result.getPrimaryResult().getScore() / threads,
        secondary(result, "cpuNanos") / secondary(result, "operations"),
        secondary(result, "gc.alloc.rate.norm"));
  }

  private static double secondary(RunResult result, String name) {
    return Objects.requireNonNull(result.getSecondaryResults().get(name), name).getScore();
  }
}
