package dev.onlyonce.bench;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.onlyonce.spi.Limits;
import java.net.URI;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * A lock for each key, as the guides of Redisson have it: taken, and given back when it is done.
 */
final class RedissonPeer implements RedisPeer {

  static final String SETTINGS = "64 connections, 24 of them idle at least, as are the defaults";

  private final RedissonClient client;

  RedissonPeer(URI uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri.toString());
    client = Redisson.create(config);
  }

  @Override
  public boolean claim(byte[] key) {
    return lock(client.getLock(MessageKeys.text(key)));
  }

  @Override
  public boolean handle(byte[] key) {
    RLock lock = client.getLock(MessageKeys.text(key));
    if (!lock(lock)) {
      return false;
    }
    lock.unlock();
    return true;
  }

  private static boolean lock(RLock lock) {
    try {
      return lock.tryLock(0, Limits.LEASE.toMillis(), MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
