package dev.onlyonce.bench;

import dev.onlyonce.bench.RedisTable.Contestant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** What is measured of the Redis store, beside what users of Redis have today. */
final class RedisTables {

  private static final String CLAIMS_GOAL = "at least 1.5 times as fast as SET NX EX";
  private static final String CYCLES_GOAL = "at least 1.6 times as fast as SET NX PX and SET XX EX";
  private static final String CALLS_GOAL = "at least 1.8 times as fast as Lettuce";
  private static final int FEW = 100_000;
  private static final int MANY = 10_000_000;
  static final int BYTES_OF = 1_000_000;

  private RedisTables() {}

  static List<Table> all(boolean quick) {
    List<Table> tables = new ArrayList<>(batches("redis", false));
    if (!quick) {
      tables.addAll(batches("redis cluster of 3 masters", true));
    }
    tables.addAll(clients());
    tables.add(new RedisBytes(BYTES_OF));
    tables.add(singleClaims());
    tables.add(singleCycles());
    if (SingleCallBenchmark.hasVirtualThreads()) {
      tables.add(virtualClaims());
    }
    if (!quick) {
      tables.add(new RedisGrowth(FEW, MANY));
    }
    return tables;
  }

  private static List<Table> batches(String where, boolean onCluster) {
    return List.of(
        new RedisTable(
            where + ": a new key claimed, 1,000 a call",
            CLAIMS_GOAL,
            onCluster,
            new Contestant("onlyonce", RedisWork.CLAIMS, "onlyonce"),
            new Contestant("SET NX EX, pipelined", RedisWork.CLAIMS, "jedis")),
        new RedisTable(
            where + ": a new key, claimed and completed, 1,000 a call",
            CYCLES_GOAL,
            onCluster,
            new Contestant("onlyonce", RedisWork.CYCLES, "onlyonce"),
            new Contestant("SET NX PX, then SET XX EX, pipelined", RedisWork.CYCLES, "jedis"),
            new Contestant(
                "onlyonce with a compact tier, each key moved there",
                RedisWork.CYCLES,
                "onlyonce, compact tier")),
        new RedisTable(
            where + ": a duplicate, 1,000 a call",
            "",
            onCluster,
            new Contestant("onlyonce", RedisWork.DUPLICATES, "onlyonce"),
            new Contestant("SET NX EX, pipelined", RedisWork.DUPLICATES, "jedis"),
            new Contestant(
                "onlyonce, of what is in a compact tier",
                RedisWork.DUPLICATES,
                "onlyonce, compact tier")));
  }

  /** The two clients that the store could have, at the same work. */
  private static List<Table> clients() {
    return List.of(
        new RedisTable(
            "redis client: a new key by a script, 1,000 a call",
            "",
            false,
            new Contestant("Jedis", RedisWork.CLAIMS, "jedis, script"),
            new Contestant("Lettuce", RedisWork.CLAIMS, "lettuce, script")),
        new RedisTable(
            "redis client: a new key by a script, one a call from %d threads, combined"
                .formatted(RedisWork.PLATFORM_THREADS),
            "",
            false,
            new Contestant("Jedis", RedisWork.SINGLE_CLAIMS, "jedis, script"),
            new Contestant("Lettuce", RedisWork.SINGLE_CLAIMS, "lettuce, script")));
  }

  private static Table singleClaims() {
    return new RedisTable(
        "redis: a new key claimed, one a call from %d threads"
            .formatted(RedisWork.PLATFORM_THREADS),
        CALLS_GOAL,
        false,
        new Contestant("onlyonce, combined", RedisWork.SINGLE_CLAIMS, "onlyonce, combined"),
        new Contestant("Lettuce, SET NX EX", RedisWork.SINGLE_CLAIMS, "lettuce"),
        new Contestant(
            "Spring Integration, putIfAbsent", RedisWork.SINGLE_CLAIMS, "spring-metadata"));
  }

  private static Table singleCycles() {
    return new RedisTable(
        "redis: a new key, claimed and completed, one a call from %d threads"
            .formatted(RedisWork.PLATFORM_THREADS),
        CALLS_GOAL,
        false,
        new Contestant("onlyonce, combined", RedisWork.SINGLE_CYCLES, "onlyonce, combined"),
        new Contestant("Lettuce, SET NX PX, then SET XX EX", RedisWork.SINGLE_CYCLES, "lettuce"),
        new Contestant("Redisson, tryLock, unlock", RedisWork.SINGLE_CYCLES, "redisson"),
        new Contestant("ShedLock, lock, unlock", RedisWork.SINGLE_CYCLES, "shedlock"));
  }

  private static Table virtualClaims() {
    return new RedisTable(
        String.format(
            Locale.ROOT,
            "redis: a new key claimed, one a call from %,d virtual threads",
            RedisWork.VIRTUAL_THREADS),
        CALLS_GOAL,
        false,
        new Contestant("onlyonce, combined", RedisWork.VIRTUAL_CLAIMS, "onlyonce, combined"),
        new Contestant("Lettuce, SET NX EX", RedisWork.VIRTUAL_CLAIMS, "lettuce"));
  }

  /** Says how the contenders and the servers are set. */
  static String settings(Properties versions) {
    return String.format(
        Locale.ROOT,
        """
        Redis is a server of our own on the same machine, with %s and otherwise its own settings; a
        cluster is three masters with a replica each. It is emptied before each piece of work. Beside
        the clock its CPU is counted, all nodes together, which a busy machine changes least.
        - Jedis %s, which the store uses, too: a pipeline for each 1,000 keys, one connection, in a
          cluster one to each node.
        - Lettuce %s: %s.
        - The script by either client sets a field of a hash for each key, 500 in a call: Jedis with %s,
          Lettuce with %s.
        - Spring Integration's RedisMetadataStore: %s. It neither completes nor forgets.
        - Redisson %s: %s. Its lock remembers nothing when it is given back.
        - ShedLock %s: %s. Its lock remembers nothing either.

        """,
        RedisTable.SETTINGS,
        versions.getProperty("jedis"),
        versions.getProperty("lettuce"),
        LettucePeer.SETTINGS,
        ScriptPeer.JEDIS,
        ScriptPeer.LETTUCE,
        SpringMetadataPeer.SETTINGS,
        versions.getProperty("redisson"),
        RedissonPeer.SETTINGS,
        versions.getProperty("shedlock"),
        ShedLockPeer.SETTINGS);
  }
}
