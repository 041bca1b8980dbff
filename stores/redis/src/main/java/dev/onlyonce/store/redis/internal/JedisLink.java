package dev.onlyonce.store.redis.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** A connection of Jedis. */
final class JedisLink implements RedisPort.Link {

  private final Flushable connection;
  private final JedisPool pool;
  private int awaited;
  private boolean failed;
  private boolean used;

  JedisLink(HostAndPort address, JedisClientConfig config, JedisPool pool) {
    this.connection = new Flushable(address, config);
    this.pool = pool;
  }

  @Override
  public boolean isNew() {
    return !used;
  }

  @Override
  public void send(byte[]... command) throws RedisPort.LinkException {
    try {
      byte[] name = command[0];
      ProtocolCommand named = () -> name;
      connection.sendCommand(named, Arrays.copyOfRange(command, 1, command.length));
      awaited++;
    } catch (JedisException e) {
      throw failed(e);
    }
  }

  @Override
  public void flush() throws RedisPort.LinkException {
    try {
      connection.flushNow();
    } catch (JedisException e) {
      throw failed(e);
    }
  }

  @Override
  public @Nullable Object receive() throws RedisPort.LinkException {
    try {
      Object reply = connection.getUnflushedObject();
      awaited--;
      return plain(reply);
    } catch (JedisConnectionException e) {
      throw failed(e);
    } catch (JedisDataException e) {
      awaited--;
      return new RedisPort.RedisError(String.valueOf(e.getMessage()));
    } catch (JedisException e) {
      throw failed(e);
    }
  }

  private static @Nullable Object plain(@Nullable Object reply) {
    if (reply instanceof JedisDataException error) {
      return new RedisPort.RedisError(String.valueOf(error.getMessage()));
    }
    if (reply instanceof List<?> list) {
      List<@Nullable Object> plain = new ArrayList<>(list.size());
      for (Object each : list) {
        plain.add(plain(each));
      }
      return plain;
    }
    return reply;
  }

  private RedisPort.LinkException failed(JedisException e) {
    failed = true;
    return pool.lost(e);
  }

  @Override
  public void close() {
    used = true;
    // A reply that nobody has taken would be taken for the next caller's.
    pool.giveBack(this, failed || awaited != 0);
  }

  void disconnect() {
    try {
      connection.disconnect();
    } catch (JedisException e) {
      // It is gone all the same.
    }
  }

  /** A connection whose commands can be sent without waiting for a reply. */
  private static final class Flushable extends Connection {
    Flushable(HostAndPort address, JedisClientConfig config) {
      super(address, config);
    }

    void flushNow() {
      flush();
    }
  }
}
