package dev.onlyonce.testkit.history;

import dev.onlyonce.testkit.history.History.Entry;
import dev.onlyonce.testkit.history.HistoryReport.Rule;
import dev.onlyonce.testkit.history.HistoryReport.Violation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules on one key's effects, fed in the order of lines; {@link HistoryChecker} states them.
 */
final class EffectRules {
  private final List<Entry> effects = new ArrayList<>();
  private final TreeMap<Long, Entry> effectByToken = new TreeMap<>();
  private final TreeSet<Long> declared = new TreeSet<>();
  private final Set<Long> settled = new HashSet<>();
  private final List<Violation> violations = new ArrayList<>();
  private int nameless;
  private long resolvedUpTo;
  private @Nullable Entry resolvedNotDone;
  private @Nullable Entry failure;
  private @Nullable Entry acknowledgedInDoubt;

  void accept(Entry entry) {
    long token = entry.event().token();
    switch (entry.event().kind()) {
      case EFFECT -> effect(entry);
      case ACKNOWLEDGED -> acknowledged(entry);
      case COMPLETED -> {
        settled.add(token);
        requireEffect("was completed without an effect", entry);
      }
      case FAILED -> {
        settled.add(token);
        failure = entry;
      }
      case RELEASED -> settled.add(token);
      case IN_DOUBT -> declared.add(token);
      case RESOLVED_DONE -> {
        resolvedUpTo = Math.max(resolvedUpTo, token);
        requireEffect("was resolved as done without an effect", entry);
      }
      case RESOLVED_NOT_DONE -> resolvedAsNotDone(entry);
      case CLAIMED, RENEWED, KILLED -> {}
    }
  }

  private void effect(Entry entry) {
    int before = undoubted();
    effects.add(entry);
    long token = entry.event().token();
    if (token == 0) {
      nameless++;
    } else {
      named(token, entry);
    }
    int after = undoubted();
    if (after > 1 && after > before) {
      String what = after + " effects that are not in doubt, the first, the one before and this";
      Entry previous = effects.get(effects.size() - 2);
      violate(Rule.ONE_EFFECT, what, effects.get(0), previous, entry);
    }
  }

  private void named(long token, Entry entry) {
    Entry twin = effectByToken.putIfAbsent(token, entry);
    if (twin != null) {
      violate(Rule.ONE_EFFECT, "one token had two effects", twin, entry);
    }
    if (resolvedNotDone != null && token <= resolvedNotDone.event().token()) {
      String what = "an effect came after it was resolved as not done";
      violate(Rule.ONE_EFFECT, what, resolvedNotDone, entry);
    }
  }

  /** How many effects there would be if none that is in doubt had taken place. */
  private int undoubted() {
    long named = effectByToken.keySet().stream().filter(token -> !inDoubt(token)).count();
    long free = openDoubts().filter(token -> !effectByToken.containsKey(token)).count();
    return Math.toIntExact(named + Math.max(0, nameless - free));
  }

  /**
   * Whether a doubt about this token or a larger one was declared, and the outcome is not known.
   */
  private boolean inDoubt(long token) {
    boolean covered = declared.ceiling(token) != null;
    return covered && token > resolvedUpTo && !settled.contains(token);
  }

  private Stream<Long> openDoubts() {
    return declared.tailSet(resolvedUpTo, false).stream().filter(token -> !settled.contains(token));
  }

  private boolean hasOpenDoubt() {
    return openDoubts().findAny().isPresent();
  }

  private void resolvedAsNotDone(Entry entry) {
    long token = entry.event().token();
    resolvedUpTo = Math.max(resolvedUpTo, token);
    resolvedNotDone = entry;
    Map.Entry<Long, Entry> effect = effectByToken.floorEntry(token);
    if (effect != null) {
      violate(
          Rule.ONE_EFFECT, "it was resolved as not done after an effect", effect.getValue(), entry);
    }
  }

  private void requireEffect(String otherwise, Entry entry) {
    if (effects.isEmpty()) {
      violate(Rule.NOTHING_LOST, otherwise, entry);
    }
  }

  private void acknowledged(Entry entry) {
    if (failure == null && !hasOpenDoubt()) {
      requireEffect("was acknowledged without an effect", entry);
    } else if (effects.isEmpty()) {
      acknowledgedInDoubt = entry;
    }
  }

  /** To be called after the last line. */
  void end() {
    if (acknowledgedInDoubt != null && failure == null && !hasOpenDoubt()) {
      requireEffect("was acknowledged in doubt and never had an effect", acknowledgedInDoubt);
    }
  }

  private void violate(Rule rule, String what, Entry... evidence) {
    violations.add(Sentence.about(rule, what, evidence));
  }

  List<Violation> violations() {
    return violations;
  }

  int extraEffects() {
    return Math.max(0, effects.size() - 1);
  }
}
