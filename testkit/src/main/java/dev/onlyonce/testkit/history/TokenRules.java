package dev.onlyonce.testkit.history;

import dev.onlyonce.testkit.history.History.Entry;
import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import dev.onlyonce.testkit.history.HistoryReport.Rule;
import dev.onlyonce.testkit.history.HistoryReport.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The rules on the order of one key's tokens; {@link HistoryChecker} states them. */
final class TokenRules {
  /** By the length from which on it was recorded, the grant with the largest token until then. */
  private final TreeMap<Long, Entry> largestByEnd = new TreeMap<>();

  private final Map<Long, Entry> firstByToken = new HashMap<>();
  private final List<Violation> violations = new ArrayList<>();
  private int undecided;

  TokenRules(List<Entry> entries) {
    Entry largest = null;
    for (Entry entry : entries) {
      if (entry.event().kind() == Kind.CLAIMED) {
        boolean larger = largest == null || entry.event().token() > largest.event().token();
        largest = larger ? entry : largest;
        largestByEnd.put(entry.endBytes(), largest);
      }
    }
  }

  void accept(Entry entry) {
    switch (entry.event().kind()) {
      case CLAIMED -> granted(entry);
      case COMPLETED, FAILED, RELEASED, RENEWED -> settled(entry);
      case EFFECT, ACKNOWLEDGED, IN_DOUBT, RESOLVED_DONE, RESOLVED_NOT_DONE, KILLED -> {}
    }
  }

  private void granted(Entry grant) {
    Entry twin = firstByToken.putIfAbsent(grant.event().token(), grant);
    if (twin != null) {
      violations.add(Sentence.about(Rule.TOKENS_GROW, "one token was granted twice", twin, grant));
      return;
    }
    Entry overtaking = overtaking(grant);
    if (overtaking != null) {
      String what = "a smaller token was granted after a larger one";
      violations.add(Sentence.about(Rule.TOKENS_GROW, what, overtaking, grant));
    }
  }

  private void settled(Entry settlement) {
    Entry overtaking = overtaking(settlement);
    if (overtaking != null) {
      String what = "an overtaken holder was accepted";
      violations.add(Sentence.about(Rule.NO_OVERTAKEN_HOLDER, what, overtaking, settlement));
    }
  }

  /** The grant of a larger token that was recorded before this operation was begun, if any. */
  private @Nullable Entry overtaking(Entry entry) {
    Entry known = largerUntil(entry.event().sinceBytes(), entry);
    if (known == null && largerUntil(entry.startBytes(), entry) != null) {
      undecided++;
    }
    return known;
  }

  private @Nullable Entry largerUntil(long lengthBytes, Entry entry) {
    Map.Entry<Long, Entry> until = largestByEnd.floorEntry(lengthBytes);
    boolean larger = until != null && until.getValue().event().token() > entry.event().token();
    return larger ? until.getValue() : null;
  }

  List<Violation> violations() {
    return violations;
  }

  int undecided() {
    return undecided;
  }
}
