package dev.onlyonce.testkit.history;

import dev.onlyonce.testkit.history.History.Entry;
import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import dev.onlyonce.testkit.history.HistoryReport.Counts;
import dev.onlyonce.testkit.history.HistoryReport.Rule;
import dev.onlyonce.testkit.history.HistoryReport.Violation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides whether a history of claims, effects and acknowledgements is one that effectively-once
 * processing allows.
 *
 * <p>Everything it reports is a breach in every execution that can have left this history, provided
 * that the events were recorded when {@link Kind} says. It looks at the order of lines and at
 * {@link HistoryEvent#sinceBytes}, never at a clock.
 *
 * <p>Stateless and thread-safe.
 *
 * <h2>What it decides</h2>
 *
 * <ul>
 *   <li>{@link Rule#ONE_EFFECT}: at each effect, at most one effect of its key so far is not in
 *       doubt. An effect is in doubt if a doubt about its token or a larger one was declared on an
 *       earlier line (smaller tokens are covered because their own declaration may have died with
 *       its process), unless the token was completed, failed or released, or it or a larger one was
 *       resolved. Each open doubt whose token no effect names excuses one effect without a token.
 *       Two effects with one token are a breach even in doubt: the attempt itself did it twice. So
 *       is an effect, before or after, of a token up to one that was resolved as not done.
 *   <li>{@link Rule#NOTHING_LOST}: when a key is acknowledged it has an effect, or failed for good,
 *       or is in doubt; if in doubt, it has an effect, a failure or an open doubt at the end. When
 *       a key is completed or resolved as done, it has an effect.
 *   <li>{@link Rule#TOKENS_GROW}: no two grants of a key have the same token, and a grant that was
 *       begun after another one had been recorded has the larger token.
 *   <li>{@link Rule#NO_OVERTAKEN_HOLDER}: no complete, fail, release or renewal was accepted that
 *       was begun after a grant with a larger token had been recorded.
 *   <li>{@link Rule#HISTORY_SOUND}: no process did anything after it was killed, and no operation
 *       was begun after its own end. A breach means that the recording is wrong, and with it
 *       perhaps any other verdict.
 * </ul>
 *
 * <h2>Order</h2>
 *
 * An operation happened at some moment between its {@code since} and its line. One precedes another
 * for certain only if its line was there when the other was begun. Where the lines alone suggest a
 * breach and the two may have overlapped, the answer is open, and it is counted as undecided: a
 * process may stand still between an answer and its record. An event without {@code since} may have
 * been begun at any time, so leaving it out never makes a false alarm, only a weaker proof.
 *
 * <h2>What it cannot decide</h2>
 *
 * <ul>
 *   <li>Whether what was not recorded happened. An effect that is recorded by a worker and not by
 *       the resource may be missing when the worker was killed between the two, and a doubled
 *       effect with it. A grant whose record was lost cannot show that its token was granted again.
 *   <li>Whether everything that was sent arrived: it does not know what was sent.
 *   <li>Whether a doubt was declared for a good reason, or a claim was refused that should have
 *       been granted.
 *   <li>Anything about two lives of a key. A key that is reset, or claimed again after its
 *       retention is over, breaks {@code ONE_EFFECT}; a history must end before that, or use
 *       another key. At most once, which settles before the effect, breaks {@code NOTHING_LOST} by
 *       design.
 *   <li>Anything across a power failure.
 * </ul>
 */
public final class HistoryChecker {
  private HistoryChecker() {}

  /** Checks a history against all rules. */
  public static HistoryReport check(History history) {
    List<Violation> violations = new ArrayList<>(unsound(history));
    Map<Kind, Integer> events = new EnumMap<>(Kind.class);
    Map<String, List<Entry>> keys = new LinkedHashMap<>();
    for (Entry entry : history.entries()) {
      events.merge(entry.event().kind(), 1, Integer::sum);
      if (entry.event().kind() != Kind.KILLED) {
        keys.computeIfAbsent(entry.event().key(), key -> new ArrayList<>()).add(entry);
      }
    }
    int extraEffects = 0;
    int undecided = 0;
    for (List<Entry> entries : keys.values()) {
      EffectRules effects = new EffectRules();
      TokenRules tokens = new TokenRules(entries);
      for (Entry entry : entries) {
        effects.accept(entry);
        tokens.accept(entry);
      }
      effects.end();
      violations.addAll(effects.violations());
      violations.addAll(tokens.violations());
      extraEffects += effects.extraEffects();
      undecided += tokens.undecided();
    }
    int torn = history.tornLines().size();
    Counts counts = new Counts(events, keys.size(), extraEffects, undecided, torn);
    return new HistoryReport(violations, counts);
  }

  private static List<Violation> unsound(History history) {
    List<Violation> violations = new ArrayList<>();
    Map<String, Entry> killed = new HashMap<>();
    for (Entry entry : history.entries()) {
      HistoryEvent event = entry.event();
      Entry kill = killed.get(event.process());
      if (kill != null) {
        violations.add(
            Sentence.about(Rule.HISTORY_SOUND, "was killed, then recorded", kill, entry));
      }
      if (event.kind() == Kind.KILLED) {
        killed.put(event.process(), entry);
      }
      if (event.sinceBytes() > entry.startBytes()) {
        violations.add(Sentence.about(Rule.HISTORY_SOUND, "was begun after its own end", entry));
      }
    }
    return violations;
  }
}
