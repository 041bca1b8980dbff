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

/** Messages through a whole engine, one a call, with a handler that does nothing. */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineBenchmark {

  static final int NEW_KEYS = 500_000;

  /** A door that has seen nothing yet. */
  @State(Scope.Benchmark)
  public static class Fresh {
    @Param("onlyonce")
    public String door;

    Door fresh;

    @Setup(Level.Iteration)
    public void open() throws Exception {
      fresh = Door.named(door, NEW_KEYS);
      System.gc();
    }

    @TearDown(Level.Iteration)
    public void close() throws Exception {
      fresh.close();
    }
  }

  /** The full way of a new key: claim, handler, complete. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  @OperationsPerInvocation(NEW_KEYS)
  public long newKey(Fresh state) {
    for (int i = 0; i < NEW_KEYS; i++) {
      state.fresh.handle(MessageKeys.get(i));
    }
    return exactly(NEW_KEYS, state.fresh);
  }

  /** A door that has handled all keys there are. */
  @State(Scope.Benchmark)
  public static class Experienced {
    @Param("onlyonce")
    public String door;

    Door experienced;

    @Setup(Level.Trial)
    public void open() throws Exception {
      experienced = Door.named(door, NEW_KEYS);
      for (int i = 0; i < NEW_KEYS; i++) {
        experienced.handle(MessageKeys.get(i));
      }
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
      exactly(NEW_KEYS, experienced);
      experienced.close();
    }
  }

  /** Chooses among the keys. */
  @State(Scope.Thread)
  public static class Picker {
    private final SplittableRandom random = new SplittableRandom();

    byte[] one() {
      return MessageKeys.get(random.nextInt(NEW_KEYS));
    }
  }

  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  public void duplicate(Experienced state, Picker picker) {
    state.experienced.handle(picker.one());
  }

  private static long exactly(long expected, Door door) {
    if (door.handled() != expected) {
      throw new IllegalStateException(
          "%,d messages were handled, not %,d".formatted(door.handled(), expected));
    }
    return expected;
  }
}
