package dev.onlyonce.bench;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Messages through a whole engine, one a call, with a handler that does nothing but count. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineBenchmark {

  static final int KEYS = 500_000;

  /** A door that has seen nothing yet. */
  @State(Scope.Benchmark)
  public static class Fresh {
    @Param("onlyonce")
    public String contender;

    Door door;

    @Setup(Level.Iteration)
    public void open() throws Exception {
      door = Door.named(contender, KEYS);
      System.gc();
    }

    @TearDown(Level.Iteration)
    public void close() throws Exception {
      door.close();
    }
  }

  /** The full way of a new key: claim, handler, complete. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long newKey(Fresh state, Cpu cpu) {
    return cpu.measure(
        KEYS,
        () -> {
          for (int i = 0; i < KEYS; i++) {
            state.door.handle(MessageKeys.get(i));
          }
          return exactly(KEYS, state.door);
        });
  }

  /** A door that has handled all keys there are. */
  @State(Scope.Benchmark)
  public static class Experienced {
    @Param("onlyonce")
    public String contender;

    Door door;

    @Setup(Level.Trial)
    public void open() throws Exception {
      door = Door.named(contender, KEYS);
      for (int i = 0; i < KEYS; i++) {
        door.handle(MessageKeys.get(i));
      }
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
      door.close();
    }
  }

  /** Copies of keys, chosen at random. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long duplicate(Experienced state, Cpu cpu) {
    SplittableRandom random = new SplittableRandom();
    return cpu.measure(
        KEYS,
        () -> {
          for (int i = 0; i < KEYS; i++) {
            state.door.handle(MessageKeys.get(random.nextInt(KEYS)));
          }
          return exactly(KEYS, state.door);
        });
  }

  private static long exactly(long expected, Door door) {
    if (door.handled() != expected) {
      throw new IllegalStateException(
          "%,d messages were handled, not %,d".formatted(door.handled(), expected));
    }
    return expected;
  }
}
