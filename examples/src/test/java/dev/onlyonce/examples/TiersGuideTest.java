package dev.onlyonce.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.OnInDoubt;
import dev.onlyonce.OnlyOnce;
import dev.onlyonce.ResultCodec;
import dev.onlyonce.services.Database;
import dev.onlyonce.services.MariaDbServer;
import dev.onlyonce.services.PostgreSqlServer;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.store.jdbc.JdbcStore;
import dev.onlyonce.store.tiered.TieredStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the pieces of the guide to tiers, and holds the guide to them. */
@ExtendWith(Servers.class)
class TiersGuideTest {

  @Test
  void the_guide_shows_the_regions_of_the_program() {
    assertThat(Guide.regions(TiersGuide.class)).hasSize(2);
    assertThat(Guide.of("tiers.md").java()).isEqualTo(Guide.regions(TiersGuide.class));
  }

  @Test
  void a_payment_is_made_once_by_two_processes_with_tiers(
      Database<PostgreSqlServer> database, RedisServer redis) throws Exception {
    UrlSource source = new UrlSource(database.url());
    JdbcStore.on(source).createTables().open().close();
    TiersGuide guide = new TiersGuide();
    assertThat(charges(() -> guide.open(source, redis.url()))).containsExactly("order-4711");
  }

  @Test
  void the_same_with_redis_in_front(Database<MariaDbServer> database, RedisServer redis)
      throws Exception {
    UrlSource source = new UrlSource(database.url());
    JdbcStore.on(source).createTables().open().close();
    TiersGuide guide = new TiersGuide();
    assertThat(charges(() -> guide.openBehind(source, redis.url()))).containsExactly("order-4711");
  }

  /** Has two processes charge the same order, each of them twice. */
  private static List<String> charges(Supplier<TieredStore> opening) throws Exception {
    List<String> charges = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      try (TieredStore store = opening.get();
          OnlyOnce<String> once =
              OnlyOnce.builder(store)
                  .scope("billing")
                  .results(ResultCodec.TEXT)
                  .onInDoubt(OnInDoubt.PARK)
                  .build()) {
        for (int copy = 0; copy < 2; copy++) {
          once.process("order-4711/paid", () -> "receipt " + charges.add("order-4711"));
        }
      }
    }
    return charges;
  }
}
