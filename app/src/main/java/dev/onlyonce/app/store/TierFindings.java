package dev.onlyonce.app.store;

import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.store.Finding.Level;
import dev.onlyonce.store.tiered.Authority;
import dev.onlyonce.store.tiered.TieredStatistics;
import dev.onlyonce.store.tiered.TieredStatistics.Behind;
import dev.onlyonce.store.tiered.TieredStatistics.HotKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What an examination says of tiers that it has used. */
final class TierFindings {

  private static final String SAME_TIME = "; have one time service set both clocks";

  private TierFindings() {}

  /** Returns what each tier did in this process, and what is on its way to another one. */
  static List<Finding> of(TieredStatistics statistics) {
    List<Finding> findings = new ArrayList<>();
    statistics.tiers().forEach(it -> findings.add(of(it)));
    findings.add(of(statistics.authority(), statistics.behind()));
    statistics.hotKeys().forEach(it -> findings.add(of(it)));
    return findings;
  }

  private static Finding of(TieredStatistics.Tier tier) {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("calls", tier.calls());
    figures.put("keys", tier.keys());
    figures.put("answered", tier.answered());
    figures.put("failures", tier.failures());
    figures.put("meanMicros", micros(tier.mean()));
    figures.put("p99Micros", micros(tier.p99()));
    String sentence = tier.calls() == 0 ? "was not asked for any key" : sentence(tier);
    String trouble = tier.trouble();
    return new Finding(
        trouble == null ? Level.OK : Level.NOTE,
        "tier " + name(tier),
        trouble == null ? sentence : sentence + "; trouble now: " + trouble,
        figures);
  }

  private static String sentence(TieredStatistics.Tier tier) {
    return text(
        "%,d of %s answered here (%.1f %%), in %s of %,d us on average, 99 of 100 within %,d us;"
            + " %,d failed",
        tier.answered(),
        Quantity.of(tier.keys(), "key"),
        100 * tier.hitRate(),
        Quantity.of(tier.calls(), "call"),
        micros(tier.mean()),
        micros(tier.p99()),
        tier.failures());
  }

  /** Returns what the file of the tiers calls it. */
  private static String name(TieredStatistics.Tier tier) {
    return tier.name().equals("fast") ? "redis" : tier.name();
  }

  private static Finding of(Authority authority, Behind behind) {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("waiting", behind.waiting());
    figures.put("oldestMillis", behind.oldest().toMillis());
    figures.put("written", behind.written());
    figures.put("failures", behind.failures());
    figures.put("dropped", behind.dropped());
    return new Finding(
        behind.failures() + behind.dropped() == 0 ? Level.OK : Level.NOTE,
        authority == Authority.REDIS ? "database behind" : "copies",
        text(
            "%s written, %s; %,d dropped, %s",
            Quantity.of(behind.written(), "key"),
            behind.waiting() == 0
                ? "none waiting"
                : text(
                    "%,d waiting, the oldest for %,d ms",
                    behind.waiting(), behind.oldest().toMillis()),
            behind.dropped(),
            Quantity.of(behind.failures(), "failure")),
        figures);
  }

  private static Finding of(HotKey hot) {
    return new Finding(
        Level.OK,
        "hot key",
        text(
            "%s in %s was claimed %,d to %,d times lately",
            hot.key(), hot.scope(), hot.atLeast(), hot.atMost()),
        Map.of("atLeast", hot.atLeast(), "atMost", hot.atMost()));
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  /**
   * Says how far the clocks of Redis and the database are apart.
   *
   * @param redisAhead milliseconds; negative if Redis is behind
   */
  static Finding clocks(Authority authority, long redisAhead, Duration margin) {
    long apart = Math.abs(redisAhead);
    String sentence =
        text(
            "Redis is %,d ms %s the database, the margin is %,d ms",
            apart, redisAhead < 0 ? "behind" : "ahead of", margin.toMillis());
    Map<String, Long> figures = Map.of("redisAheadMillis", redisAhead);
    if (apart <= margin.toMillis()) {
      return new Finding(Level.OK, "clocks", sentence, figures);
    }
    boolean isUnsafe = authority == Authority.REDIS && redisAhead < 0;
    return new Finding(
        isUnsafe ? Level.UNSAFE : Level.NOTE,
        "clocks",
        sentence + ": " + harm(authority, redisAhead < 0) + SAME_TIME,
        figures);
  }

  private static String harm(Authority authority, boolean redisIsBehind) {
    if (authority == Authority.REDIS) {
      return redisIsBehind
          ? "the database forgets keys so much too soon, and a rebuild takes them for new"
          : "a change to authority 'database' is refused until the database's clock is past it";
    }
    return redisIsBehind
        ? "copies take room so much longer, and are not used longer: the database's clock counts"
        : "copies end so much sooner, and the database is asked instead";
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
