package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.tiered.Authority;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a tiered store is opened with; its builder has the defaults. */
public final class Settings {

  /** The longest time that a copy in the fast store may be good. */
  public static final Duration LONGEST_COPY = Duration.ofHours(24);

  public final Authority authority;
  public @Nullable Tier database;
  public @Nullable Supplier<Tier> fast;
  public @Nullable KeyFilter filter;
  public long nearBytes;
  public Duration nearKeep = Duration.ofSeconds(10);
  public Duration copyKeep = Duration.ofHours(1);
  public Duration slow = Duration.ofMillis(250);
  public Duration retryAfter = Duration.ofSeconds(1);
  public Duration clockMargin = Duration.ofSeconds(1);
  public int behindBound = 100_000;
  public Duration behindPatience = Duration.ofSeconds(10);
  public Duration closePatience = Duration.ofSeconds(30);
  public Time time = Time.system();

  /** Begins with the defaults. */
  public Settings(Authority authority) {
    this.authority = authority;
  }
}
