package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Counts the records that a store has on each master, without looking at them. */
final class Census {

  private static final byte[] LENGTH = "HLEN".getBytes(US_ASCII);

  private final RedisPort port;
  private final Topology topology;
  private final String prefix;

  Census(RedisPort port, Topology topology, String prefix) {
    this.port = port;
    this.topology = topology;
    this.prefix = prefix;
  }

  /** Returns the numbers, by master; one that does not tell it is not there. */
  Map<Node, Long> take() throws LinkException {
    Map<Node, Long> records = new HashMap<>();
    Integer shards = shards();
    if (shards == null) {
      return records;
    }
    Map<Node, List<Names.Name>> placed =
        Names.of(prefix, shards).shards().stream()
            .filter(it -> topology.ownerOf(it.slot()) != null)
            .collect(Collectors.groupingBy(it -> topology.ownerOf(it.slot())));
    for (Node each : topology.masters()) {
      Long found = count(each, placed.getOrDefault(each, List.of()));
      if (found != null) {
        records.put(each, found);
      }
    }
    return records;
  }

  /** Returns how many shards the store has, 0 if there is none, null if that is not told. */
  private @Nullable Integer shards() throws LinkException {
    Names.Name meta = Names.meta(prefix);
    Node owner = topology.ownerOf(meta.slot());
    if (owner == null) {
      return null;
    }
    try (Link link = port.link(owner)) {
      Object reply = Question.ask(link, "HGET", meta.toString(), "shards");
      String told = Question.text(reply);
      return reply == null
          ? Integer.valueOf(0)
          : told.matches("\\d{1,4}") ? Integer.valueOf(told) : null;
    }
  }

  private @Nullable Long count(Node node, List<Names.Name> shards) throws LinkException {
    long records = 0;
    boolean isTold = true;
    try (Link link = port.link(node)) {
      for (Names.Name each : shards) {
        link.send(LENGTH, each.key());
      }
      link.flush();
      for (int i = 0; i < shards.size(); i++) {
        Object reply = link.receive();
        isTold &= reply instanceof Long;
        records += reply instanceof Long length ? length : 0;
      }
    }
    return isTold ? records : null;
  }
}
