package dev.onlyonce.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.DeliveryMode;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.OnInProgress;
import dev.onlyonce.Resolver;
import dev.onlyonce.Result;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The whole of the state machine as a table: what follows from each report in each situation.
 * Whatever is not in the table is refused.
 */
class FlowTableTest {

  /**
   * Each block: how the situation is arrived at, and then what each report that belongs there leads
   * to.
   */
  private static final String TABLE =
      """
      effectively-once:
        start            -> ask

      effectively-once: start
        claimed          -> run
        claimed-late     -> settle release refund
        claimed-too-often-> settle fail
        done             -> end Duplicate
        failed           -> end Failed
        in-progress      -> end InProgress
        deferred         -> end Deferred
        mismatch         -> end Mismatch
        in-doubt         -> end InDoubt
        unavailable      -> ask
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start unavailable
        claimed          -> run
        claimed-late     -> settle release refund
        claimed-too-often-> settle fail
        done             -> end Duplicate
        failed           -> end Failed
        in-progress      -> end InProgress
        deferred         -> end Deferred
        mismatch         -> end Mismatch
        in-doubt         -> end InDoubt
        unavailable      -> fault
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed-late
        settled-held     -> ask
        settled-already  -> ask
        settled-lost     -> ask
        unavailable      -> settle release refund
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed-late unavailable
        settled-held     -> ask
        settled-already  -> ask
        settled-lost     -> ask
        unavailable      -> fault
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed-late settled-held claimed-late settled-held claimed-late
        settled-held     -> fault
        settled-already  -> fault
        settled-lost     -> fault
        unavailable      -> settle release refund
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed
        returned         -> settle complete
        threw            -> settle release keep
        threw-final      -> settle fail
        threw-doubtful   -> give up
        left             -> settle release refund
        left-final       -> settle fail
        left-doubtful    -> give up

      effectively-once: start claimed-last
        returned         -> settle complete
        threw            -> settle fail
        threw-final      -> settle fail
        threw-doubtful   -> give up
        left             -> settle release refund
        left-final       -> settle fail
        left-doubtful    -> give up

      effectively-once: start claimed returned
        settled-held     -> end Processed
        settled-already  -> end Processed
        settled-lost     -> end Lost
        unavailable      -> wait
        full             -> settle complete
        rejected         -> settle complete
        closed           -> fault

      effectively-once: start claimed returned rejected
        settled-held     -> end Processed
        settled-already  -> end Processed
        settled-lost     -> end Lost
        unavailable      -> wait
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed threw
        settled-held     -> end Released
        settled-already  -> end Released
        settled-lost     -> end Lost
        unavailable      -> wait
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed threw-final
        settled-held     -> end Failed
        settled-already  -> end Failed
        settled-lost     -> end Lost
        unavailable      -> wait
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed threw-doubtful
        settled-held     -> end InDoubt
        settled-already  -> end InDoubt
        settled-lost     -> end Lost
        unavailable      -> wait
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed-too-often
        settled-held     -> end Failed
        settled-already  -> end Failed
        settled-lost     -> ask
        unavailable      -> wait
        full             -> fault
        rejected         -> fault
        closed           -> fault

      effectively-once: start claimed returned unavailable
        waited           -> settle complete
        hurried          -> settle complete

      effectively-once: start claimed threw-doubtful unavailable
        waited           -> give up
        hurried          -> give up

      waiting: start
        claimed          -> run
        claimed-late     -> settle release refund
        claimed-too-often-> settle fail
        done             -> end Duplicate
        failed           -> end Failed
        in-progress      -> wait
        deferred         -> wait
        mismatch         -> end Mismatch
        in-doubt         -> end InDoubt
        unavailable      -> ask
        full             -> fault
        rejected         -> fault
        closed           -> fault

      waiting: start in-progress
        waited           -> ask
        hurried          -> end InProgress

      waiting: start deferred
        waited           -> ask
        hurried          -> end Deferred

      resolving: start
        claimed          -> run
        claimed-late     -> settle release refund
        claimed-too-often-> settle fail
        done             -> end Duplicate
        failed           -> end Failed
        in-progress      -> end InProgress
        deferred         -> end Deferred
        mismatch         -> end Mismatch
        in-doubt         -> resolve
        unavailable      -> ask
        full             -> fault
        rejected         -> fault
        closed           -> fault

      resolving: start in-doubt
        happened         -> settle complete
        did-not-happen   -> settle release keep
        unknown          -> end InDoubt

      resolving: start in-doubt happened
        settled-held     -> end Duplicate
        settled-already  -> ask
        settled-lost     -> ask
        unavailable      -> settle complete
        full             -> settle complete
        rejected         -> settle complete
        closed           -> fault

      resolving: start in-doubt happened unavailable
        settled-held     -> end Duplicate
        settled-already  -> ask
        settled-lost     -> ask
        unavailable      -> fault
        full             -> settle complete
        rejected         -> settle complete
        closed           -> fault

      resolving: start in-doubt did-not-happen
        settled-held     -> ask
        settled-already  -> ask
        settled-lost     -> ask
        unavailable      -> settle release keep
        full             -> fault
        rejected         -> fault
        closed           -> fault

      resolving: start in-doubt did-not-happen settled-held
        claimed          -> run
        claimed-late     -> settle release refund
        claimed-too-often-> settle fail
        done             -> end Duplicate
        failed           -> end Failed
        in-progress      -> end InProgress
        deferred         -> end Deferred
        mismatch         -> end Mismatch
        in-doubt         -> resolve
        unavailable      -> ask
        full             -> fault
        rejected         -> fault
        closed           -> fault

      resolving: start in-doubt happened settled-lost in-doubt happened settled-lost in-doubt happened settled-lost
        claimed          -> settle complete
        claimed-late     -> settle complete
        claimed-too-often-> settle complete
        done             -> end Duplicate
        failed           -> end Failed
        in-progress      -> end InProgress
        deferred         -> end Deferred
        mismatch         -> end Mismatch
        in-doubt         -> end InDoubt
        unavailable      -> ask
        full             -> fault
        rejected         -> fault
        closed           -> fault

      failing-open: start unavailable
        claimed          -> run
        claimed-late     -> settle release refund
        claimed-too-often-> settle fail
        done             -> end Duplicate
        failed           -> end Failed
        in-progress      -> end InProgress
        deferred         -> end Deferred
        mismatch         -> end Mismatch
        in-doubt         -> end InDoubt
        unavailable      -> run unprotected
        full             -> run unprotected
        rejected         -> fault
        closed           -> fault

      failing-open: start full
        returned         -> end Processed
        threw            -> end Released
        threw-final      -> end Failed
        threw-doubtful   -> end Released
        left             -> end Released
        left-final       -> end Failed
        left-doubtful    -> end Released

      at-most-once:
        start            -> ask settling

      at-most-once: start
        claimed          -> run unleased
        claimed-late     -> run unleased
        claimed-too-often-> run unleased
        done             -> end Duplicate
        failed           -> end Failed
        in-progress      -> end InProgress
        deferred         -> end Deferred
        mismatch         -> end Mismatch
        in-doubt         -> end InDoubt
        unavailable      -> ask settling
        full             -> fault
        rejected         -> fault
        closed           -> fault

      at-most-once: start claimed
        returned         -> end Processed
        threw            -> end Failed
        threw-final      -> end Failed
        threw-doubtful   -> end Failed
        left             -> end Failed
        left-final       -> end Failed
        left-doubtful    -> end Failed

      at-least-once:
        start            -> run unprotected

      at-least-once: start
        returned         -> end Processed
        threw            -> end Released
        threw-final      -> end Failed
        threw-doubtful   -> end Released
        left             -> end Released
        left-final       -> end Failed
        left-doubtful    -> end Released

      effectively-once: start done

      effectively-once: start closed
      """;

  private static final Key KEY = Key.of("k");
  private static final Claim FIRST = new Claim(Plans.SCOPE, KEY, 71, 1);
  private static final long ASKED = -500; // before zero and soon past it: only differences count
  private static final long ANSWERED = 500;

  private interface Move {
    Step<String> on(Flow<String> flow);
  }

  private static final Map<String, Move> REPORTS = new LinkedHashMap<>();

  static {
    report("start", Flow::start);
    answer("claimed", new Answer.Claimed(FIRST, Plans.LEASE, null));
    answer("claimed-last", claimed(3, Plans.LEASE));
    answer("claimed-too-often", claimed(4, Plans.LEASE));
    answer("claimed-late", claimed(1, Duration.ZERO));
    answer("done", new Answer.Done(Result.NONE, Duration.ofSeconds(9), true));
    answer("failed", new Answer.Failed("cannot be", Duration.ofSeconds(9)));
    answer("in-progress", new Answer.InProgress(Duration.ofSeconds(9)));
    answer("deferred", new Answer.Deferred(Duration.ofSeconds(9)));
    answer("mismatch", new Answer.Mismatch(Fingerprint.sha256(new byte[1])));
    answer("in-doubt", new Answer.InDoubt(70, 1));
    report("waited", flow -> flow.waited(false));
    report("hurried", flow -> flow.waited(true));
    report("happened", flow -> flow.resolved(new Resolver.Happened<>("receipt")));
    report("did-not-happen", flow -> flow.resolved(new Resolver.DidNotHappen<>()));
    report("unknown", flow -> flow.resolved(new Resolver.Unknown<>()));
    report("returned", flow -> flow.returned("receipt"));
    report("threw", flow -> flow.threw(new IllegalStateException("no"), false));
    report("threw-final", flow -> flow.threw(new IllegalArgumentException("never"), false));
    report("threw-doubtful", flow -> flow.threw(new ArithmeticException("maybe"), false));
    report("left", flow -> flow.threw(new InterruptedException(), true));
    report("left-final", flow -> flow.threw(new IllegalArgumentException("never"), true));
    report("left-doubtful", flow -> flow.threw(new ArithmeticException("maybe"), true));
    report("settled-held", flow -> flow.settled(Held.HELD));
    report("settled-already", flow -> flow.settled(Held.ALREADY));
    report("settled-lost", flow -> flow.settled(Held.LOST));
    for (StoreException.Kind kind : StoreException.Kind.values()) {
      report(
          kind.name().toLowerCase(Locale.ROOT),
          flow -> flow.storeFailed(new StoreException(kind, "down"), ANSWERED));
    }
  }

  private static void report(String name, Move move) {
    REPORTS.put(name, move);
  }

  private static void answer(String name, Answer answer) {
    report(name, flow -> flow.answered(answer, ASKED, ANSWERED));
  }

  private static Answer claimed(int attempt, Duration lease) {
    return new Answer.Claimed(new Claim(Plans.SCOPE, KEY, 71, attempt), lease, null);
  }

  private static Plan<String> planCalled(String name) {
    Plans standard = Plans.standard();
    Plans plans =
        switch (name) {
          case "effectively-once" -> standard;
          case "at-most-once" -> standard.mode(DeliveryMode.AT_MOST_ONCE);
          case "at-least-once" -> standard.mode(DeliveryMode.AT_LEAST_ONCE);
          case "failing-open" -> standard.failingOpen();
          case "waiting" -> standard.onInProgress(OnInProgress.waitUpTo(Duration.ofHours(1)));
          case "resolving" -> standard.resolver(doubt -> new Resolver.Unknown<>());
          default -> throw new IllegalArgumentException(name);
        };
    return plans.plan();
  }

  /** Says in a few words what a step asks for. */
  private static String words(Step<String> step) {
    if (step instanceof Step.Ask<String> ask) {
      return ask.request().settleNow() == null ? "ask" : "ask settling";
    }
    if (step instanceof Step.Run<String> run) {
      String unleased = run.claim().token() == 0 ? " unprotected" : " unleased";
      return "run" + (run.leased() ? "" : unleased);
    }
    if (step instanceof Step.Settle<String> settle) {
      return "settle " + words(settle.settlement());
    }
    if (step instanceof Step.GiveUp<String> giveUp) {
      assertThat(giveUp.renewal().lease()).isZero();
      return "give up";
    }
    if (step instanceof Step.End<String> end) {
      return "end " + end.outcome().getClass().getSimpleName();
    }
    return step.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  private static String words(Settlement settlement) {
    if (settlement instanceof Settlement.Release release) {
      return "release " + release.attempts().name().toLowerCase(Locale.ROOT);
    }
    return settlement instanceof Settlement.Fail ? "fail" : "complete";
  }

  private record Situation(String plan, List<String> way, Map<String, String> next) {

    Flow<String> arrive() {
      Flow<String> flow = new Flow<>(planCalled(plan), new Events(List.of()), KEY, null, 4_711);
      way.forEach(report -> REPORTS.get(report).on(flow));
      return flow;
    }

    @Override
    public String toString() {
      return plan + " " + String.join(" ", way);
    }
  }

  private static List<Situation> situations() {
    List<Situation> situations = new ArrayList<>();
    for (String block : TABLE.split("\n\n", -1)) {
      String[] lines = block.strip().split("\n", -1);
      String[] head = lines[0].split(":", -1);
      List<String> way = head[1].isBlank() ? List.of() : List.of(head[1].strip().split(" +", -1));
      Map<String, String> next = new LinkedHashMap<>();
      Arrays.stream(lines)
          .skip(1)
          .map(line -> line.split("->", -1))
          .forEach(row -> next.put(row[0].strip(), row[1].strip()));
      situations.add(new Situation(head[0].strip(), way, next));
    }
    return situations;
  }

  @ParameterizedTest
  @MethodSource("situations")
  void a_report_leads_to_what_the_table_says_or_is_refused(Situation situation) {
    assertThat(REPORTS.keySet()).containsAll(situation.next().keySet());
    REPORTS.forEach(
        (name, report) -> {
          Flow<String> flow = situation.arrive();
          String expected = situation.next().get(name);
          if (expected != null) {
            assertThat(words(report.on(flow)))
                .as("%s, then %s", situation, name)
                .isEqualTo(expected);
          } else if (!isRowOfAnother(situation, name)) {
            assertThatThrownBy(() -> report.on(flow))
                .as("%s, then %s", situation, name)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageMatching("the flow is at [A-Z_]+, this belongs to [A-Z_]+");
          }
        });
  }

  /** The last attempt is claimed as any other. */
  private static boolean isRowOfAnother(Situation situation, String report) {
    return report.equals("claimed-last") && situation.next().containsKey("claimed");
  }
}
