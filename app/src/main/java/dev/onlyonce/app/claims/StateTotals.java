package dev.onlyonce.app.claims;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** How many records there are of each state. */
public final class StateTotals {

  /** The name of the totals of all scopes; no scope can have it. */
  public static final String ALL = "(all)";

  private final Map<ClaimState, Long> counts = new EnumMap<>(ClaimState.class);
  private long inDoubt;

  private StateTotals() {}

  /** Has a store count what it has; its records are read only if some of them may be in doubt. */
  public static StateTotals of(ClaimReader reader) {
    StateTotals totals = new StateTotals();
    totals.counts.putAll(reader.totals());
    if (totals.count(ClaimState.CLAIMED) > 0) {
      totals.inDoubt = inDoubt(reader);
    }
    return totals;
  }

  private static long inDoubt(ClaimReader reader) {
    long inDoubt = 0;
    String cursor = null;
    do {
      Page page = reader.list(Query.inDoubt(Listing.PAGE), cursor);
      inDoubt += page.records().size();
      cursor = page.next();
    } while (cursor != null);
    return inDoubt;
  }

  /**
   * Counts what each scope of a store has, by their names, and all of them last. Of one scope the
   * store knows the counts, of several every record is read.
   */
  public static Map<String, StateTotals> byScope(ClaimReader reader, long now) {
    Set<Scope> known = reader.scopes();
    return known.size() > 1 ? readByScope(reader, now) : ofOne(known, of(reader));
  }

  private static Map<String, StateTotals> ofOne(Set<Scope> known, StateTotals all) {
    Map<String, StateTotals> totals = new LinkedHashMap<>();
    if (all.total() > 0) {
      known.forEach(it -> totals.put(it.name(), all));
    }
    totals.put(ALL, all);
    return totals;
  }

  private static Map<String, StateTotals> readByScope(ClaimReader reader, long now) {
    Map<String, StateTotals> scopes = new TreeMap<>();
    StateTotals all = new StateTotals();
    Query query = Query.all(Listing.PAGE).of(EnumSet.allOf(ClaimState.class));
    @Nullable String cursor = null;
    do {
      Page page = reader.list(query, cursor);
      for (ClaimRecord record : page.records()) {
        scopes.computeIfAbsent(record.scope().name(), name -> new StateTotals()).add(record, now);
        all.add(record, now);
      }
      cursor = page.next();
    } while (cursor != null);
    Map<String, StateTotals> totals = new LinkedHashMap<>(scopes);
    totals.put(ALL, all);
    return totals;
  }

  private void add(ClaimRecord record, long now) {
    counts.merge(record.state(), 1L, Long::sum);
    inDoubt += Standing.of(record, now) == Standing.IN_DOUBT ? 1 : 0;
  }

  private long count(ClaimState state) {
    return counts.getOrDefault(state, 0L);
  }

  private long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the head of a table of totals. */
  public static String head() {
    return row("TOTAL", "DONE", "CLAIMED", "IN DOUBT", "FAILED", "RELEASED", "SCOPE");
  }

  /** Returns a line of the table; who is claimed includes who is in doubt. */
  public String line(String scope) {
    return row(
        number(total()),
        number(count(ClaimState.DONE)),
        number(count(ClaimState.CLAIMED)),
        number(inDoubt),
        number(count(ClaimState.FAILED)),
        number(count(ClaimState.RELEASED)),
        scope);
  }

  private static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static String row(Object... cells) {
    return String.format("%12s %12s %10s %10s %10s %10s  %s", cells);
  }

  /** Writes the members of an object. */
  public void write(JsonGenerator json, String scope) {
    if (!scope.equals(ALL)) {
      json.writeStringProperty("scope", scope);
    }
    json.writeNumberProperty("total", total());
    for (ClaimState state : ClaimState.values()) {
      if (state != ClaimState.UNKNOWN || count(state) > 0) {
        json.writeNumberProperty(state.name().toLowerCase(Locale.ROOT), count(state));
      }
    }
    json.writeNumberProperty("inDoubt", inDoubt);
  }
}
