package dev.onlyonce.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/** What is done with Redis and measured. */
enum RedisWork {
  /** New keys are claimed, 1,000 a call. */
  CLAIMS {
    @Override
    int run(RedisPeer peer) {
      return batches(peer::claim);
    }
  },

  /** New keys are claimed and completed, 1,000 a call. */
  CYCLES {
    @Override
    int run(RedisPeer peer) {
      return batches(peer::handle);
    }
  },

  /** Keys that are done are claimed, 1,000 a call. */
  DUPLICATES {
    @Override
    void prepare(RedisPeer peer) {
      batches(peer::handle);
    }

    @Override
    int run(RedisPeer peer) {
      return keys() + batches(peer::claim);
    }
  },

  /** New keys are claimed, one a call, by threads of the operating system. */
  SINGLE_CLAIMS {
    @Override
    int keys() {
      return SINGLE_KEYS;
    }

    @Override
    int run(RedisPeer peer) throws ReflectiveOperationException {
      return threads(false, peer::claim);
    }
  },

  /** New keys are claimed and completed, one a call, by threads of the operating system. */
  SINGLE_CYCLES {
    @Override
    int keys() {
      return SINGLE_KEYS;
    }

    @Override
    int run(RedisPeer peer) throws ReflectiveOperationException {
      return threads(false, peer::handle);
    }
  },

  /** New keys are claimed, one a call, by virtual threads. */
  VIRTUAL_CLAIMS {
    @Override
    int keys() {
      return SINGLE_KEYS;
    }

    @Override
    int run(RedisPeer peer) throws ReflectiveOperationException {
      return threads(true, peer::claim);
    }
  };

  static final int BATCH = 1_000;
  static final int PLATFORM_THREADS = 256;
  static final int VIRTUAL_THREADS = 2_000;

  static final int BATCHED_KEYS = 200_000;

  /** Both numbers of threads divide it. */
  private static final int SINGLE_KEYS = 32_000;

  /** How many keys are handled. */
  int keys() {
    return BATCHED_KEYS;
  }

  /** Does what is not measured. */
  void prepare(RedisPeer peer) {}

  /** Does the work; returns how many keys were handled as they should. */
  abstract int run(RedisPeer peer) throws ReflectiveOperationException;

  int batches(ToIntFunction<byte[][]> call) {
    int fresh = 0;
    for (int i = 0; i < keys(); i += BATCH) {
      fresh += call.applyAsInt(MessageKeys.range(i, BATCH));
    }
    return fresh;
  }

  int threads(boolean virtual, Predicate<byte[]> call) throws ReflectiveOperationException {
    int threads = virtual ? VIRTUAL_THREADS : PLATFORM_THREADS;
    int share = keys() / threads;
    ExecutorService executor =
        virtual
            ? SingleCallBenchmark.virtualThreads()
            : Executors.newFixedThreadPool(PLATFORM_THREADS);
    List<Future<Integer>> shares = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      long first = (long) i * share;
      shares.add(executor.submit(() -> calls(call, first, share)));
    }
    try {
      int fresh = 0;
      for (Future<Integer> each : shares) {
        fresh += each.get();
      }
      return fresh;
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      executor.shutdownNow();
    }
  }

  private static int calls(Predicate<byte[]> call, long first, int count) {
    int fresh = 0;
    for (int i = 0; i < count; i++) {
      fresh += call.test(MessageKeys.get(first + i)) ? 1 : 0;
    }
    return fresh;
  }
}
