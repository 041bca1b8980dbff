package dev.onlyonce.testkit.sim;

import dev.onlyonce.Backoff;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Key;
import dev.onlyonce.OnFailure;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.Outcome;
import dev.onlyonce.Resolver;
import dev.onlyonce.Result;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.Scope;
import dev.onlyonce.internal.Plan;
import dev.onlyonce.internal.Step;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Lapse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One run of a simulated world, and what must hold in it. */
final class World {

  static final Duration LEASE = Duration.ofSeconds(1);
  static final long LEASE_MICROS = LEASE.toNanos() / 1_000;

  private static final Scope SCOPE = Scope.of("simulation");
  private static final Duration RETENTION = Duration.ofDays(7);
  private static final long TROUBLE_MICROS = 12 * LEASE_MICROS;
  private static final int MOST_STEPS = 30_000;

  /** The effect has not happened. */
  static final class Clean extends Failure {
    private static final long serialVersionUID = 1L;

    Clean(String message) {
      super(message);
    }
  }

  /** The effect has not happened and never will. */
  static final class Final extends Failure {
    private static final long serialVersionUID = 1L;

    Final(String message) {
      super(message);
    }
  }

  /** Nobody knows whether the effect has happened. */
  static final class Doubtful extends Failure {
    private static final long serialVersionUID = 1L;

    Doubtful(String message) {
      super(message);
    }
  }

  /** The handler was interrupted in whatever it did. */
  static final class CutShort extends Failure {
    private static final long serialVersionUID = 1L;

    CutShort(String message) {
      super(message);
    }
  }

  /** What the handler throws. */
  abstract static class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failure(String message) {
      super(message, null, false, false);
    }
  }

  private final Setup setup;
  private final Habits habits;
  private final @Nullable List<String> said;
  private final Dice dice;
  private final Schedule schedule = new Schedule();
  private final Tally tally = new Tally();
  private final Plan<String> plan;
  private final ClaimStore store;
  private final Ledger ledger;
  private final Wire wire = new Wire(this);
  private final SimulatedBank bank;
  private final Broker broker = new Broker(this);
  private final List<Worker> workers = new ArrayList<>();
  private final List<Key> keys = new ArrayList<>();
  private final Set<Key> failed = new HashSet<>();
  private final Set<Key> parked = new HashSet<>();
  private int toBeSent;

  /**
   * @param said gets a line for everything that happens, unless it is null
   */
  World(Setup setup, Habits habits, long seed, @Nullable List<String> said) {
    this.setup = setup;
    this.habits = habits;
    this.said = said;
    this.dice = new Dice(seed);
    this.plan = drawPlan();
    this.store = setup.stores().apply(schedule.time());
    this.ledger = new Ledger(this, store);
    this.bank = new SimulatedBank(this, setup.bank());
  }

  private Plan<String> drawPlan() {
    OnInProgress onInProgress =
        switch (dice.upTo(2)) {
          case 0 -> OnInProgress.reject();
          case 1 -> OnInProgress.retryLater();
          default -> OnInProgress.waitUpTo(Duration.ofMillis(dice.between(50, 1_500)));
        };
    OnFailure onFailure =
        OnFailure.defaults()
            .attempts(2 + dice.upTo(4))
            .backoff(
                Backoff.exponential(Duration.ofMillis(20), 3, Duration.ofSeconds(1))
                    .withoutJitter())
            .failOn(Final.class)
            .doubtOn(Doubtful.class);
    return new Plan<>(
        SCOPE,
        habits.mode(setup),
        setup.doubt() == Setup.Doubt.RERUN ? Lapse.TAKE : Lapse.PARK,
        setup.doubt() == Setup.Doubt.RESOLVE ? doubt -> new Resolver.Unknown<>() : null,
        onInProgress,
        onFailure,
        setup.failsOpen(),
        LEASE,
        RETENTION,
        1_000,
        ResultCodec.TEXT,
        false);
  }

  // What there is.

  Setup setup() {
    return setup;
  }

  Habits habits() {
    return habits;
  }

  Dice dice() {
    return dice;
  }

  Schedule schedule() {
    return schedule;
  }

  Tally tally() {
    return tally;
  }

  Plan<String> plan() {
    return plan;
  }

  Ledger ledger() {
    return ledger;
  }

  Wire wire() {
    return wire;
  }

  SimulatedBank bank() {
    return bank;
  }

  Broker broker() {
    return broker;
  }

  List<Worker> workers() {
    return workers;
  }

  /** Returns the handler's result, which is null for every other key. */
  @SuppressWarnings("NullAway") // what the worlds' handlers return may be null
  static String receiptOf(Key key) {
    return key.toString().matches("k[02]") ? "receipt of " + key : null;
  }

  boolean canStillArrive(Key key, long token) {
    return bank.isOnTheWay(key, token)
        || workers.stream().anyMatch(worker -> worker.mayStillSend(key, token));
  }

  // What happens.

  Report run() {
    populate();
    while (!dice.isCalm() && step()) {
      if (schedule.nowMicros() > TROUBLE_MICROS) {
        say("from now on nothing goes wrong any more");
        dice.calmDown();
      }
    }
    while (step()) {}
    require(toBeSent == 0 && broker.isEmpty(), "every message is acknowledged in the end");
    for (Key key : keys) {
      boolean isOpen = setup.mode() != DeliveryMode.AT_LEAST_ONCE && ledger.isOpen(key);
      require(
          !isOpen || parked.contains(key) || setup.failsOpen(),
          "every key is settled or parked in the end",
          key);
    }
    store.close();
    return tally.report();
  }

  private boolean step() {
    require(tally.steps++ < MOST_STEPS, "the world comes to an end");
    try {
      return schedule.next();
    } catch (RuntimeException e) {
      throw new AssertionError("an exception where none should be: " + e, e);
    }
  }

  private void populate() {
    say("%s", setup);
    int workerCount = 1 + dice.upTo(3);
    for (int i = 0; i < workerCount; i++) {
      Worker worker = new Worker(this, "w" + i);
      workers.add(worker);
      plague(dice.crashEveryMicros, worker::crash);
      plague(
          dice.stallEveryMicros,
          () -> worker.stall(dice.between(LEASE_MICROS / 10, 3 * LEASE_MICROS)));
    }
    plague(dice.outageEveryMicros, () -> wire.breakDown(dice.between(20_000, 2 * LEASE_MICROS)));
    plague(
        dice.jumpEveryMicros,
        () -> schedule.time().jump(Duration.ofSeconds(dice.between(-7_200, 7_200))));
    int keyCount = 1 + dice.upTo(3);
    for (int i = 0; i < keyCount; i++) {
      Key key = Key.of("k" + i);
      keys.add(key);
      int copies = 1 + dice.upTo(3);
      for (int copy = 0; copy < copies; copy++) {
        toBeSent++;
        schedule.after(
            dice.between(0, dice.coin() ? 50_000 : 8 * LEASE_MICROS),
            () -> {
              toBeSent--;
              broker.send(key);
            });
      }
    }
  }

  /** Lets something bad happen again and again, as long as the world is not calm. */
  private void plague(long everyMicros, Runnable fault) {
    if (everyMicros > 0) {
      schedule.after(
          dice.around(everyMicros),
          () -> {
            if (!dice.isCalm()) {
              fault.run();
              plague(everyMicros, fault);
            }
          });
    }
  }

  /** A delivery is acknowledged: the broker will not deliver the message again. */
  void acknowledge(Broker.Message message, Step<String> why) {
    Key key = message.key();
    if (why instanceof Step.End<String> end) {
      if (end.outcome() instanceof Outcome.Failed) {
        failed.add(key);
        tally.failed++;
      } else if (end.outcome() instanceof Outcome.InDoubt) {
        parked.add(key);
        tally.parked++;
      }
    }
    boolean isDeclared = failed.contains(key) || parked.contains(key);
    require(
        bank.hasHappened(key) || isDeclared || setup.mode() == DeliveryMode.AT_MOST_ONCE,
        "nothing is acknowledged without an effect",
        message,
        why);
    broker.acknowledge(message);
  }

  /** An effect of a key that had taken effect before. */
  void doubleEffect(Key key, long earlier, long now) {
    require(!setup.promisesOnce(), "no key takes effect twice", key, earlier, now);
    boolean isProtected = earlier != 0 && now != 0;
    if (isProtected) {
      require(earlier != now, "no attempt takes effect twice", key, now);
      require(
          ledger.isInDoubt(key, Math.min(earlier, now)),
          "an attempt after which another ran had ended in doubt",
          key,
          earlier,
          now);
      require(
          setup.bank() != Setup.Bank.CHECKS_TOKENS || now > earlier,
          "no overtaken holder takes effect after the one that overtook it",
          key,
          earlier,
          now);
    }
  }

  /** Checks what the engine says came of a delivery. */
  void check(Broker.Message message, Outcome<String> outcome) {
    if (outcome instanceof Outcome.Duplicate<String> duplicate) {
      tally.duplicates++;
      String receipt = receiptOf(message.key());
      Result expected = receipt == null ? Result.NONE : ResultCodec.TEXT.encode(receipt);
      require(
          duplicate.stored().equals(expected)
              || (setup.mode() == DeliveryMode.AT_MOST_ONCE
                  && duplicate.stored().equals(Result.NOT_KEPT)),
          "a duplicate gets the first one's result",
          message,
          outcome);
    } else if (outcome instanceof Outcome.Lost<String> lost) {
      tally.lost++;
      require(
          ledger.isOver(message.key(), lost.claim().token()),
          "whoever is told that the claim was lost was overtaken",
          message,
          outcome);
    } else if (outcome instanceof Outcome.InDoubt) {
      tally.inDoubt++;
    }
  }

  // What must hold.

  void require(boolean holds, String rule, Object... facts) {
    if (!holds) {
      throw new AssertionError("broken: " + rule + " " + Arrays.toString(facts));
    }
  }

  /** Notes what happens, if somebody wants to know. */
  @SuppressWarnings("AnnotateFormatMethod") // the annotation is another library's
  void say(String format, Object... args) {
    if (said != null) {
      String what = format.formatted(args).replaceAll(", codec=[^]]*", "");
      said.add("%10.4f s  %s".formatted(schedule.nowMicros() / 1e6, what));
    }
  }
}
