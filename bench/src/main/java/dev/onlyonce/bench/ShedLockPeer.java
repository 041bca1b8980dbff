package dev.onlyonce.bench;

import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A lock of ShedLock for each key: taken, and given back when it is done. */
final class ShedLockPeer implements RedisPeer {

  static final String SETTINGS =
      "the provider of Spring, by Lettuce, whose one connection is shared";

  private static final Time TIME = Time.system();

  private final LettuceConnectionFactory connections;
  private final RedisLockProvider locks;

  ShedLockPeer(URI uri) {
    connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
    connections.afterPropertiesSet();
    connections.start();
    locks = new RedisLockProvider(connections);
  }

  @Override
  public boolean claim(byte[] key) {
    return lock(key).isPresent();
  }

  @Override
  public boolean handle(byte[] key) {
    Optional<SimpleLock> lock = lock(key);
    lock.ifPresent(SimpleLock::unlock);
    return lock.isPresent();
  }

  private Optional<SimpleLock> lock(byte[] key) {
    Instant now = Instant.ofEpochMilli(TIME.millis());
    return locks.lock(
        new LockConfiguration(now, MessageKeys.text(key), Limits.LEASE, Duration.ZERO));
  }

  @Override
  public void close() {
    connections.destroy();
  }
}
