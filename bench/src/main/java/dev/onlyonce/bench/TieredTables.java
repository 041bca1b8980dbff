package dev.onlyonce.bench;

import java.util.List;

/** What is measured of tiers over PostgreSQL and Redis, beside each of these alone. */
final class TieredTables {

  private TieredTables() {}

  static List<Table> all() {
    return List.of(
        new Row(
            "tiered store: a message of a stream with 70 % duplicates, 1,000 a call",
            "at most 500 ns with Redis as the authority, 400 ns on a local store",
            stream("redis, database behind"),
            stream("redis, database behind, until it is there"),
            stream("database"),
            stream("local store of a partition's owner"),
            stream("Redis alone"),
            stream("PostgreSQL alone")),
        new Row(
            "tiered store: a new key, done at once, 500 a call",
            "with the database as the authority as fast as that alone",
            new Contender("database", "TieredBenchmark.newKeys", "database"),
            new Contender("PostgreSQL alone", "TieredBenchmark.newKeys", "PostgreSQL alone")),
        new Row(
            "tiered store: a duplicate among 100,000 keys, 500 a call",
            "",
            duplicates("database"),
            duplicates("redis, database behind"),
            duplicates("Redis alone"),
            duplicates("PostgreSQL alone")));
  }

  private static Contender stream(String name) {
    return new Contender(name, "TieredBenchmark.stream", name);
  }

  private static Contender duplicates(String name) {
    return new Contender(name, "TieredBenchmark.duplicates", name);
  }
}
