package dev.onlyonce.bench;

import dev.onlyonce.services.RedisServer;
import java.util.List;
import java.util.Locale;

/**
 * What the memory of a Redis server grows by for a key that is done, its tables included. The table
 * of a hash doubles, so that it depends on the number of keys as well.
 */
record RedisBytes(int keys) implements Table {

  private static final int BATCH = 1_000;

  @Override
  public String title() {
    return String.format(Locale.ROOT, "redis: bytes of a key that is done, of %,d", keys);
  }

  @Override
  public String measure(int rounds) {
    StringBuilder table =
        new StringBuilder(
            "**%s** (goal: at most 96, with a fingerprint of 16 bytes 128, in a compact tier 25)%n%n| | bytes |%n|---|---|%n"
                .formatted(title()));
    try (RedisServer server = RedisServer.start(RedisTable.SETTINGS)) {
      RedisNodes nodes = new RedisNodes(List.of(server.url()));
      for (String name :
          List.of("onlyonce", "onlyonce, fingerprints", "onlyonce, large compact tier", "jedis")) {
        System.err.printf("%s: %s%n", title(), name);
        table.append(String.format(Locale.ROOT, "| %s | %.1f |%n", name, bytes(nodes, name)));
      }
    }
    return table.append('\n').toString();
  }

  private double bytes(RedisNodes nodes, String name) {
    nodes.empty();
    long before = nodes.bytes();
    try (RedisPeer peer = RedisPeer.named(name, nodes.uris())) {
      for (int i = 0; i < keys; i += BATCH) {
        peer.handle(MessageKeys.range(i, BATCH));
      }
    }
    return (double) (nodes.bytes() - before) / keys;
  }
}
