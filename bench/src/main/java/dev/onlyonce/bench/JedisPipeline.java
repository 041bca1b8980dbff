package dev.onlyonce.bench;

import static redis.clients.jedis.params.SetParams.setParams;

import dev.onlyonce.spi.Limits;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

/**
 * {@code SET key value NX EX} in a pipeline, as many do it: {@code SET NX PX} and then {@code SET
 * XX EX} to complete. It knows no owner, no token and no second attempt.
 */
final class JedisPipeline implements RedisPeer {

  private static final byte[] CLAIMED = {'c'};
  private static final byte[] DONE = {'d'};

  private final UnifiedJedis jedis;

  private JedisPipeline(UnifiedJedis jedis) {
    this.jedis = jedis;
  }

  static RedisPeer of(List<String> uris) {
    Set<HostAndPort> nodes = new HashSet<>();
    for (String each : uris) {
      URI uri = URI.create(each);
      nodes.add(new HostAndPort(uri.getHost(), uri.getPort()));
    }
    return new JedisPipeline(
        nodes.size() == 1
            ? RedisClient.create(nodes.iterator().next())
            : RedisClusterClient.create(nodes));
  }

  @Override
  public boolean claim(byte[] key) {
    return claim(new byte[][] {key}) == 1;
  }

  @Override
  public int claim(byte[][] keys) {
    return set(keys).size();
  }

  /** Claims for as long as a key is remembered. */
  private List<byte[]> set(byte[][] keys) {
    List<Response<String>> answers = new ArrayList<>(keys.length);
    try (AbstractPipeline pipeline = jedis.pipelined()) {
      for (byte[] key : keys) {
        answers.add(pipeline.set(key, DONE, setParams().nx().ex(Limits.RETENTION.toSeconds())));
      }
    }
    return fresh(keys, answers);
  }

  @Override
  public boolean handle(byte[] key) {
    return handle(new byte[][] {key}) == 1;
  }

  @Override
  public int handle(byte[][] keys) {
    List<Response<String>> answers = new ArrayList<>(keys.length);
    try (AbstractPipeline pipeline = jedis.pipelined()) {
      for (byte[] key : keys) {
        answers.add(pipeline.set(key, CLAIMED, setParams().nx().px(Limits.LEASE.toMillis())));
      }
    }
    List<byte[]> fresh = fresh(keys, answers);
    List<Response<String>> completions = new ArrayList<>(fresh.size());
    try (AbstractPipeline pipeline = jedis.pipelined()) {
      for (byte[] key : fresh) {
        completions.add(pipeline.set(key, DONE, setParams().xx().ex(Limits.RETENTION.toSeconds())));
      }
    }
    for (Response<String> each : completions) {
      if (each.get() == null) {
        throw new IllegalStateException("a claim was lost");
      }
    }
    return fresh.size();
  }

  private static List<byte[]> fresh(byte[][] keys, List<Response<String>> answers) {
    List<byte[]> fresh = new ArrayList<>(keys.length);
    for (int i = 0; i < keys.length; i++) {
      if (answers.get(i).get() != null) {
        fresh.add(keys[i]);
      }
    }
    return fresh;
  }

  @Override
  public void close() {
    jedis.close();
  }
}
