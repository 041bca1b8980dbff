package dev.onlyonce.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Locks;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.store.redis.RedisStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the pieces of the guides to Redis and to locks, and holds the guides to them. */
@ExtendWith(Servers.class)
class RedisGuideTest {

  private final RedisGuide guide = new RedisGuide();

  @Test
  void the_guides_show_the_regions_of_the_programs() {
    assertThat(Guide.regions(RedisGuide.class)).hasSize(4);
    assertThat(Guide.of("redis.md").java()).isEqualTo(Guide.regions(RedisGuide.class));
    assertThat(Guide.regions(LocksGuide.class)).hasSize(1);
    assertThat(Guide.of("locks.md").java()).isEqualTo(Guide.regions(LocksGuide.class));
  }

  @Test
  void a_report_is_written_by_whoever_has_the_lock(RedisServer server) {
    List<Long> tokens = new ArrayList<>();
    LocksGuide report = new LocksGuide((name, token) -> tokens.add(token));
    try (ClaimStore store = guide.open(server.url());
        Locks others = Locks.on(store)) {
      try (Locks.Lock other = others.tryLock("report-2024-05").orElseThrow()) {
        tokens.add(other.token());
        assertThat(report.report(store)).isFalse();
      }
      assertThat(report.report(store)).isTrue();
      assertThat(report.report(store)).isTrue();
    }
    assertThat(tokens).hasSize(3).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void replicas_are_waited_for(RedisServer server) {
    try (RedisServer replica = server.startReplica(Map.of());
        ClaimStore store = guide.openCluster(server.url())) {
      assertThat(replica.isRunning()).isTrue();
      assertThat(store.purge(1)).isZero();
    }
  }

  @Test
  void a_store_with_a_compact_tier_is_made() {
    try (RedisServer own = RedisServer.start();
        ClaimStore store = guide.openCompact(own.url())) {
      assertThat(((RedisStore) store).compactTier().orElseThrow().keys())
          .isGreaterThanOrEqualTo(50_000_000);
    }
  }

  @Test
  void without_a_limit_of_memory_the_window_is_not_known(RedisServer server) {
    try (RedisStore store = RedisStore.open(server.url())) {
      assertThat(guide.window(store, 1_000)).isEmpty();
    }
  }
}
