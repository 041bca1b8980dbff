package dev.onlyonce.testkit.history;

import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@link HistoryChecker} found in a history: each violation as a sentence, and figures.
 *
 * <p>Immutable. Its string is made for the message of a failed assertion: the figures, then the
 * first {@value #SHOWN} violations.
 *
 * @param violations in the order of the keys' first events
 */
public record HistoryReport(List<Violation> violations, Counts counts) {
  private static final int SHOWN = 20;

  /** What is checked; {@link HistoryChecker} says what each one means exactly. */
  public enum Rule {
    /** A key has one effect; one more only where an attempt was in doubt. */
    ONE_EFFECT,
    /** What was acknowledged or completed has its effect. */
    NOTHING_LOST,
    /** A later grant has a larger token, and no token is granted twice. */
    TOKENS_GROW,
    /** Nothing is accepted from a holder that was overtaken. */
    NO_OVERTAKEN_HOLDER,
    /** The history is one that can have been recorded as it should be. */
    HISTORY_SOUND
  }

  /**
   * A breach of a rule.
   *
   * @param key {@code ""} where the breach is not one of a key
   * @param lines the lines of the history that show it, ascending
   * @param sentence says it with key, tokens, processes and lines
   */
  public record Violation(Rule rule, String key, List<Integer> lines, String sentence) {
    /** Copies the lines in ascending order. */
    public Violation {
      lines = lines.stream().sorted().toList();
    }
  }

  /**
   * The figures of a history.
   *
   * @param events how many there were of each kind; a kind without any is absent
   * @param keys how many keys there were
   * @param extraEffects how many effects there were beyond the first one of their key, excused or
   *     not
   * @param undecided how many grants and settlements stand in the wrong order but may have
   *     overlapped, or lack their {@code since}; they are not violations, and not proof either
   * @param tornLines how many events were cut short
   */
  public record Counts(
      Map<Kind, Integer> events, int keys, int extraEffects, int undecided, int tornLines) {
    /** Copies the map. */
    public Counts {
      events = Map.copyOf(events);
    }

    /** How many events of a kind there were. */
    public int of(Kind kind) {
      return events.getOrDefault(kind, 0);
    }
  }

  /** Copies the list. */
  public HistoryReport {
    violations = List.copyOf(violations);
  }

  /** Whether there is no violation. */
  public boolean isClean() {
    return violations.isEmpty();
  }

  /** The violations of one rule. */
  public List<Violation> violations(Rule rule) {
    return violations.stream().filter(violation -> violation.rule() == rule).toList();
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    out.append(violations.size()).append(" violations; ").append(counts.keys()).append(" keys, ");
    out.append(counts.extraEffects()).append(" extra effects, ");
    out.append(counts.undecided()).append(" undecided, ");
    out.append(counts.tornLines()).append(" torn lines; events ");
    out.append(new TreeMap<>(counts.events()));
    violations.stream()
        .limit(SHOWN)
        .forEach(
            shown -> out.append("\n- ").append(shown.rule()).append(": ").append(shown.sentence()));
    if (violations.size() > SHOWN) {
      out.append("\n- and ").append(violations.size() - SHOWN).append(" more");
    }
    return out.toString();
  }
}
