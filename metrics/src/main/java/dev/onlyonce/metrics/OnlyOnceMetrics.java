package dev.onlyonce.metrics;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.TierCounts;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What happens in engines and their stores, as meters of a Micrometer registry: a listener for
 * {@link dev.onlyonce.OnlyOnceBuilder#listener}, and a measure for stores.
 *
 * <pre>{@code
 * OnlyOnceMetrics metrics = OnlyOnceMetrics.with(registry);
 * OnlyOnce<Void> once =
 *     OnlyOnce.builder(metrics.measured("claims", store)).listener(metrics)...
 * }</pre>
 *
 * <p>Names and tags are in docs/guides/metrics.md. Tags are scopes, stores, tiers and values of
 * fixed lists, never a key or what an exception says. After {@value #MOST_SCOPES} scopes, further
 * ones share the tag {@value #OTHER_SCOPES}.
 *
 * <p>One is made for each registry, and serves any number of engines and stores. Meters that are
 * removed from the registry are not made again.
 *
 * <p><b>Thread-safety.</b> Any number of threads.
 */
public final class OnlyOnceMetrics implements Event.Listener {

  private static final int MOST_SCOPES = 1_000;

  /** Cannot be the name of a scope. */
  private static final String OTHER_SCOPES = "(other)";

  private final MeterRegistry registry;
  private final Map<String, ScopeMeters> scopes = new ConcurrentHashMap<>();

  private OnlyOnceMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Makes the meters of a registry. */
  public static OnlyOnceMetrics with(MeterRegistry registry) {
    return new OnlyOnceMetrics(registry);
  }

  @Override
  public void on(Event event) {
    EventMeters.move(of(event.scope()), event);
  }

  /**
   * Says how far behind whoever consumes for a scope is.
   *
   * @param messages how many wait to be received, in all that this process consumes for the scope;
   *     from 0
   */
  public void lag(Scope scope, long messages) {
    if (messages < 0) {
      throw new IllegalArgumentException("lag must not be negative, was " + messages);
    }
    of(scope).lag(messages);
  }

  /**
   * Returns the store with its calls measured. It can be read if this one can, closing it closes
   * this one, and whoever needs more of a store than that is given the store itself.
   *
   * @param name of the store, as a tag
   */
  public ClaimStore measured(String name, ClaimStore store) {
    StoreMeters meters = new StoreMeters(registry, name);
    if (store instanceof TierCounts tiers) {
      meters.bindTiers(tiers);
    }
    return MeasuredStore.over(store, meters);
  }

  private ScopeMeters of(Scope scope) {
    ScopeMeters known = scopes.get(scope.name());
    if (known != null) {
      return known;
    }
    String name = scopes.size() < MOST_SCOPES ? scope.name() : OTHER_SCOPES;
    return scopes.computeIfAbsent(name, it -> new ScopeMeters(registry, it));
  }
}
