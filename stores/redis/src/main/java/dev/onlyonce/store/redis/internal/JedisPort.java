package dev.onlyonce.store.redis.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Connections by Jedis, a few to each node. */
final class JedisPort implements RedisPort {

  private final RedisAddress address;
  private final RedisSettings settings;
  private final Map<Node, JedisPool> pools = new ConcurrentHashMap<>();

  JedisPort(RedisAddress address, RedisSettings settings) {
    this.address = address;
    this.settings = settings;
  }

  @Override
  public Link link(Node node) throws LinkException {
    return pools.computeIfAbsent(node, it -> new JedisPool(it, address, settings)).take();
  }

  @Override
  public String user() {
    String user = address.user();
    return user == null ? "default" : user;
  }

  @Override
  public void close() {
    pools.values().forEach(JedisPool::close);
  }
}
