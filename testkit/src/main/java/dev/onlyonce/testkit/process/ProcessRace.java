package dev.onlyonce.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.testkit.Race;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Two processes with eight threads each, and all of them want every key of a store: each must be
 * granted, and completed, once.
 *
 * <p>The processes run a program of the store's own tests, which opens the store and calls {@link
 * #run}. Stateless and thread-safe.
 */
public final class ProcessRace {

  /** How many keys there are. */
  public static final int KEYS = 2_000;

  private static final int PROCESSES = 2;
  private static final int THREADS = 8;
  private static final int BATCH = 10;
  private static final Scope SCOPE = Scope.of("race");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration GUARD = Duration.ofMinutes(2);

  private ProcessRace() {}

  /**
   * Has two processes race, and checks what they have won.
   *
   * @param program its main method calls {@link #run}
   * @throws AssertionError if a key was won twice or by nobody, or a process won none
   */
  public static void check(Class<?> program, String... arguments) {
    List<WorkerProcess> racers = new ArrayList<>();
    List<String> won = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        racers.add(WorkerProcess.of(program).name("racer-" + i).arguments(arguments).start());
      }
      racers.forEach(it -> it.awaitLine("ready", GUARD));
      racers.forEach(it -> it.send("go"));
      for (WorkerProcess each : racers) {
        int before = won.size();
        for (String line = next(each); !line.equals("end"); line = next(each)) {
          won.add(line);
        }
        assertThat(won).as("%s has won some", each.name()).hasSizeGreaterThan(before);
      }
    } finally {
      racers.forEach(WorkerProcess::close);
    }
    assertThat(won).allMatch(it -> it.startsWith(Held.HELD + " "));
    assertThat(won).doesNotHaveDuplicates().hasSize(KEYS);
  }

  private static String next(WorkerProcess racer) {
    return racer.awaitLine(line -> true, GUARD);
  }

  /**
   * Takes part, in a process of {@link #check}: says that it is ready, waits for a word, and prints
   * each key that it has won, with what completing it was answered.
   */
  public static void run(ClaimStore store) {
    System.out.println("ready");
    try {
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Race.run(THREADS, thread -> run(store, new Random(thread)));
    System.out.println("end");
  }

  private static int run(ClaimStore store, Random random) {
    List<ClaimRequest> all = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      long id = ThreadLocalRandom.current().nextLong();
      all.add(ClaimRequest.of(SCOPE, Key.of("key-" + i), id, HOUR, Lapse.TAKE));
    }
    Collections.shuffle(all, random);
    int won = 0;
    for (int from = 0; from < KEYS; from += BATCH) {
      List<Settlement> mine = new ArrayList<>();
      for (Answer each : store.claim(all.subList(from, from + BATCH))) {
        if (each instanceof Answer.Claimed claimed) {
          mine.add(new Settlement.Complete(claimed.claim(), Result.NONE, HOUR));
        }
      }
      List<Held> settled = store.settle(mine);
      for (int i = 0; i < settled.size(); i++) {
        System.out.println(settled.get(i) + " " + mine.get(i).claim().key());
      }
      won += mine.size();
    }
    return won;
  }
}
