package dev.onlyonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.testkit.history.History;
import dev.onlyonce.testkit.history.HistoryChecker;
import dev.onlyonce.testkit.history.HistoryEvent;
import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import dev.onlyonce.testkit.history.HistoryFile;
import dev.onlyonce.testkit.history.HistoryReport;
import dev.onlyonce.testkit.history.HistoryReport.Rule;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/** The harness at work: real processes, real kills, and a checker that says what came of it. */
class CrashingWorkersTest {
  /** No test is about this time; it only keeps one that hangs from hanging for ever. */
  private static final Duration GUARD = Duration.ofSeconds(60);

  @TempDir Path directory;
  private final List<WorkerProcess> workers = new ArrayList<>();

  @AfterEach
  void close() {
    workers.forEach(WorkerProcess::close);
  }

  private WorkerProcess start(String name) {
    WorkerProcess.Builder builder = WorkerProcess.of(ClaimingWorker.class).name(name);
    WorkerProcess worker = builder.arguments(directory.toString(), name).start();
    workers.add(worker);
    worker.awaitLine("ready", GUARD);
    return worker;
  }

  private static String ask(WorkerProcess worker, String line) {
    worker.send(line);
    return worker.awaitLine(answer -> true, GUARD);
  }

  private Path history() {
    return directory.resolve("history");
  }

  private HistoryReport check() {
    return HistoryChecker.check(HistoryFile.read(history()));
  }

  @Test
  void check_then_act_has_the_effect_twice_and_the_checker_finds_it() {
    WorkerProcess first = start("w-1");
    WorkerProcess second = start("w-2");
    assertThat(ask(first, "check order-4711")).isEqualTo("new");
    assertThat(ask(second, "check order-4711")).isEqualTo("new");
    assertThat(ask(first, "act order-4711")).isEqualTo("acted");
    assertThat(ask(second, "act order-4711")).isEqualTo("acted");
    assertThat(ask(first, "check order-4711")).isEqualTo("known");

    HistoryReport report = check();
    assertThat(report.violations()).as("%s", report).hasSize(1);
    assertThat(report.violations(Rule.ONE_EFFECT).get(0).sentence())
        .contains("order-4711", "by w-1 (line 1)", "by w-2 (line 2)");
  }

  @Test
  void an_atomic_claim_has_each_effect_once_however_the_workers_race() {
    List<WorkerProcess> racers = List.of(start("w-1"), start("w-2"));
    int keys = 300;
    for (int key = 0; key < keys; key++) {
      for (WorkerProcess racer : racers) {
        racer.send("claim-and-act k" + key);
      }
    }
    for (WorkerProcess racer : racers) {
      for (int key = 0; key < keys; key++) {
        racer.awaitLine(answer -> true, GUARD);
      }
    }
    HistoryReport report = check();
    assertThat(report.isClean()).as("%s", report).isTrue();
    assertThat(report.counts().of(Kind.EFFECT)).isEqualTo(keys);
  }

  @Test
  void the_history_survives_kills_at_random_moments(TestReporter reporter) {
    long seed = Long.getLong("onlyonce.seed", new Random().nextLong());
    reporter.publishEntry("onlyonce.seed", Long.toString(seed));
    Random random = new Random(seed);
    Map<String, Integer> reported = new HashMap<>();
    try (HistoryFile ours = HistoryFile.open(history(), "test")) {
      for (int round = 0; round < 4; round++) {
        List<WorkerProcess> victims = List.of(start("left-" + round), start("right-" + round));
        victims.forEach(victim -> victim.send("spin " + victim.name() + "-"));
        for (WorkerProcess victim : victims) {
          int least = random.nextInt(500);
          String line = victim.awaitLine(spun -> number(spun) >= least, GUARD);
          assertThat(victim.kill()).isTrue();
          ours.append(HistoryEvent.killed(victim.name()));
          reported.put(victim.name(), number(line));
        }
      }
    }
    History history = HistoryFile.read(history());
    reported.forEach((victim, last) -> assertEffectsInOrder(history, victim, last + 1));
    HistoryReport report = HistoryChecker.check(history);
    assertThat(report.isClean()).as("seed %d: %s", seed, report).isTrue();
    assertThat(report.counts().of(Kind.KILLED)).isEqualTo(reported.size());
    assertThat(report.counts().tornLines()).isLessThanOrEqualTo(reported.size());
  }

  private static int number(String spun) {
    return Integer.parseInt(spun.substring("spun ".length()));
  }

  /** Nothing that was reported is missing, and nothing is there that was not done. */
  private static void assertEffectsInOrder(History history, String process, int atLeast) {
    List<String> keys =
        history.entries().stream()
            .map(History.Entry::event)
            .filter(event -> event.kind() == Kind.EFFECT && event.process().equals(process))
            .map(HistoryEvent::key)
            .toList();
    assertThat(keys).hasSizeGreaterThanOrEqualTo(atLeast);
    for (int i = 0; i < keys.size(); i++) {
      assertThat(keys.get(i)).isEqualTo(process + "-" + i);
    }
  }

  /**
   * The first worker stands still between its claim and its effect, for longer than its lease, and
   * wakes up when the second one has finished.
   */
  private HistoryReport wakeUpOvertaken(String complete, boolean declareInDoubt) {
    WorkerProcess zombie = start("zombie");
    WorkerProcess successor = start("successor");
    assertThat(ask(zombie, "claim k")).isEqualTo("claimed 1");
    zombie.suspend();
    zombie.send("effect k 1");
    zombie.send(complete + " k 1");
    assertThat(ask(successor, "claim k")).isEqualTo("claimed 2");
    if (declareInDoubt) {
      assertThat(ask(successor, "doubt k 1")).isEqualTo("done");
    }
    assertThat(ask(successor, "effect k 2")).isEqualTo("done");
    assertThat(ask(successor, "complete k 2")).isEqualTo("held");
    assertThat(check().counts().of(Kind.EFFECT)).isOne();
    zombie.resume();
    zombie.awaitLine("done", GUARD);
    zombie.awaitLine(complete.equals("complete") ? "lost" : "held", GUARD);
    return check();
  }

  @Test
  void a_zombie_that_is_accepted_is_found() {
    HistoryReport report = wakeUpOvertaken("complete-blindly", true);
    assertThat(report.violations()).as("%s", report).hasSize(1);
    assertThat(report.violations(Rule.NO_OVERTAKEN_HOLDER).get(0).sentence())
        .contains("key k", "token 2 by successor", "token 1 by zombie");
  }

  @Test
  void the_second_effect_of_a_take_over_that_was_not_declared_in_doubt_is_found() {
    HistoryReport report = wakeUpOvertaken("complete", false);
    assertThat(report.violations()).as("%s", report).hasSize(1);
    assertThat(report.violations(Rule.ONE_EFFECT)).hasSize(1);
  }

  @Test
  void a_zombie_that_is_refused_after_a_declared_doubt_is_as_it_should_be() {
    HistoryReport report = wakeUpOvertaken("complete", true);
    assertThat(report.isClean()).as("%s", report).isTrue();
    assertThat(report.counts().extraEffects()).isOne();
    assertThat(report.counts().undecided()).isZero();
  }
}
