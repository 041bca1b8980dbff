package dev.onlyonce.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.spi.Combiner;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;

/**
 * The same script with the same arguments, by one client of Redis or the other: as large as a call
 * of the store, and much simpler, so that the client's share is seen. Single calls are combined, as
 * the store's are.
 */
final class ScriptPeer implements RedisPeer {

  static final String JEDIS = "a pool of 8 connections";
  static final String LETTUCE = "synchronous commands, one connection for all threads";

  private static final String SCRIPT =
      """
      local digits = {}
      for i = 1, #ARGV, 2 do
        digits[#digits + 1] = redis.call('hsetnx', KEYS[1], ARGV[i], ARGV[i + 1])
      end
      return table.concat(digits)
      """;

  private static final byte[] SHARD = "bench:script".getBytes(US_ASCII);

  /** What a record of a claim takes. */
  private static final byte[] RECORD = new byte[60];

  private static final int MOST = 500;
  private static final int QUEUE = 100_000;

  /** A client, with the script loaded. */
  private interface Client extends AutoCloseable {
    byte[] run(byte[] key, byte[][] arguments);

    @Override
    void close();
  }

  private final Client client;
  private final Combiner<byte[], Boolean> combiner;

  private ScriptPeer(Client client) {
    this.client = client;
    this.combiner = new Combiner<>(this::claimed, MOST, QUEUE);
  }

  static RedisPeer byJedis(URI uri) {
    return new ScriptPeer(new JedisClient(uri));
  }

  static RedisPeer byLettuce(URI uri) {
    return new ScriptPeer(new LettuceClient(uri));
  }

  private static final class JedisClient implements Client {
    private final RedisClient jedis;
    private final byte[] digest;

    private JedisClient(URI uri) {
      jedis = RedisClient.create(new HostAndPort(uri.getHost(), uri.getPort()));
      digest = jedis.scriptLoad(SCRIPT.getBytes(US_ASCII), SHARD);
    }

    @Override
    public byte[] run(byte[] key, byte[][] arguments) {
      return (byte[]) jedis.evalsha(digest, List.of(key), List.of(arguments));
    }

    @Override
    public void close() {
      jedis.close();
    }
  }

  private static final class LettuceClient implements Client {
    private final io.lettuce.core.RedisClient lettuce;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final String digest;

    private LettuceClient(URI uri) {
      lettuce = io.lettuce.core.RedisClient.create(RedisURI.create(uri));
      connection = lettuce.connect(ByteArrayCodec.INSTANCE);
      digest = connection.sync().scriptLoad(SCRIPT);
    }

    @Override
    public byte[] run(byte[] key, byte[][] arguments) {
      byte[][] keys = {key};
      return connection.sync().evalsha(digest, ScriptOutputType.VALUE, keys, arguments);
    }

    @Override
    public void close() {
      connection.close();
      lettuce.shutdown();
    }
  }

  private List<Boolean> claimed(List<byte[]> keys) {
    byte[][] arguments = new byte[2 * keys.size()][];
    for (int i = 0; i < keys.size(); i++) {
      arguments[2 * i] = keys.get(i);
      arguments[2 * i + 1] = RECORD;
    }
    List<Boolean> claimed = new ArrayList<>(keys.size());
    for (byte digit : client.run(SHARD, arguments)) {
      claimed.add(digit == '1');
    }
    return claimed;
  }

  @Override
  public boolean claim(byte[] key) {
    return combiner.call(List.of(key)).get(0);
  }

  @Override
  public int claim(byte[][] keys) {
    int fresh = 0;
    for (int from = 0; from < keys.length; from += MOST) {
      List<byte[]> part = List.of(keys).subList(from, Math.min(from + MOST, keys.length));
      fresh += (int) claimed(part).stream().filter(it -> it).count();
    }
    return fresh;
  }

  @Override
  public boolean handle(byte[] key) {
    throw new UnsupportedOperationException("the script only claims");
  }

  @Override
  public void close() {
    client.close();
  }
}
