package dev.onlyonce.app.demo;

import dev.onlyonce.app.demo.Bank.Verb;
import dev.onlyonce.spi.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a plan against a worker that handles callbacks in one way, with a bank of its own: the
 * supervisor that kills workers and starts the next one. Not safe for use by several threads.
 */
public final class Demo {

  /** How many copies are in flight at once at the most. */
  public static final int IN_FLIGHT = Platform.WINDOW;

  /** How many connections they are sent over. */
  public static final int CONNECTIONS = Platform.CONNECTIONS;

  private final Plan plan;
  private final Time time;
  private final Map<String, String> environment;

  /** Prepares to run this plan any number of times. */
  public Demo(Plan plan, Time time) {
    this(plan, time, null);
  }

  /**
   * Prepares to run this plan, once for each way to handle callbacks if a store is chosen.
   *
   * @param store has the claims; null for a local store in a temporary folder
   */
  public Demo(Plan plan, Time time, @Nullable ChosenStore store) {
    this.plan = plan;
    this.time = time;
    this.environment = store == null ? Map.of() : store.environment();
  }

  /**
   * Runs the plan.
   *
   * @param progress is told how many copies are acknowledged, again and again
   * @throws IOException if a process cannot be started, ends by itself, or cannot be reached
   */
  public Figures run(Handling handling, IntConsumer progress) throws IOException {
    long startedNanos = time.nanoTime();
    Backlog backlog = new Backlog(plan.copies());
    try (Children children = Children.inTemporaryFolder(environment)) {
      Child bank = children.start(Bank.class);
      Path folder = children.folder("worker");
      int kills = 0;
      while (!backlog.isDone()) {
        Child worker =
            children.start(
                Worker.class, handling.name(), folder.toString(), String.valueOf(bank.port()));
        if (serve(worker, backlog, kills, progress)) {
          kills++;
        }
      }
      try (BankConnection books = BankConnection.open(bank.port())) {
        return new Figures(
            handling,
            backlog.deliveries(),
            books.total(Verb.CHARGES),
            books.total(Verb.DOUBLED),
            plan.callbacks() - books.total(Verb.CHARGED),
            books.total(Verb.LOOKED_UP),
            books.total(Verb.LOOK_UPS),
            kills,
            Duration.ofNanos(time.nanoTime() - startedNanos));
      }
    }
  }

  /** Has one worker work until it is killed or all is done; returns whether the plan killed it. */
  private boolean serve(Child worker, Backlog backlog, int kills, IntConsumer progress)
      throws IOException {
    try (Platform platform = Platform.connect(worker.port(), plan, backlog, time)) {
      boolean isThere =
          platform.deliver(
              () -> {
                progress.accept(backlog.acknowledged());
                return plan.isKillDue(kills, backlog.acknowledged());
              });
      if (!isThere) {
        throw worker.endedByItself();
      }
      boolean isKilled = !backlog.isDone();
      worker.kill();
      platform.drain();
      return isKilled;
    }
  }
}
