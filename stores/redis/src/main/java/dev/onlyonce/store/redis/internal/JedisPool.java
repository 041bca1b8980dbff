package dev.onlyonce.store.redis.internal;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import java.security.cert.CertPathBuilderException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** The connections to one node. Safe for use by several threads. */
final class JedisPool {

  private final Node node;
  private final long waitMillis;
  private final JedisClientConfig config;
  private final Semaphore permits;
  private final Time time;
  private final Deque<JedisLink> idle = new ArrayDeque<>();
  private boolean closed;

  JedisPool(Node node, RedisAddress address, RedisSettings settings) {
    this.node = node;
    int millis = Math.toIntExact(Limits.millis(settings.timeout));
    int replicaMillis = Math.toIntExact(Limits.millis(settings.replicaTimeout));
    this.waitMillis = millis;
    this.time = settings.time;
    this.permits = new Semaphore(settings.connections, true);
    DefaultJedisClientConfig.Builder builder =
        DefaultJedisClientConfig.builder()
            .resp2()
            .connectionTimeoutMillis(millis)
            .socketTimeoutMillis(millis + (settings.replicas == 0 ? 0 : replicaMillis))
            .user(address.user())
            .password(address.password())
            .database(address.database())
            .clientName("onlyonce")
            .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
    if (address.isTls()) {
      builder.sslOptions(SslOptions.defaults()); // certificate and host name are verified
    }
    this.config = builder.build();
  }

  Link take() throws LinkException {
    if (!acquire()) {
      throw new LinkException(
          "all connections to " + node + " were in use for " + waitMillis + " ms", false, null);
    }
    boolean taken = false;
    try {
      JedisLink link = pollIdle();
      link = link == null ? connect() : link;
      taken = true;
      return link;
    } finally {
      if (!taken) {
        permits.release();
      }
    }
  }

  /** Whoever is interrupted gets a connection all the same: a settlement must not fail for that. */
  private boolean acquire() {
    boolean interrupted = Thread.interrupted();
    long end = time.nanoTime() + MILLISECONDS.toNanos(waitMillis);
    try {
      while (true) {
        try {
          return permits.tryAcquire(end - time.nanoTime(), NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized @Nullable JedisLink pollIdle() {
    return idle.pollLast();
  }

  private JedisLink connect() throws LinkException {
    try {
      return new JedisLink(new HostAndPort(node.host(), node.port()), config, this);
    } catch (JedisConnectionException e) {
      throw lost(e);
    } catch (JedisException e) {
      // What the server said to the greeting: LOADING and the like pass, a wrong password does not.
      String said = String.valueOf(e.getMessage());
      boolean passes = Faults.passes(new RedisPort.RedisError(said).code());
      throw new LinkException(
          node
              + (passes
                  ? " does not take connections now, ask again: "
                  : " does not let us in, see whether user and password are right: ")
              + said,
          !passes,
          e);
    }
  }

  LinkException lost(JedisException cause) {
    Throwable why = Faults.innermost(cause);
    return new LinkException(
        why instanceof CertPathBuilderException
            ? "the certificate of "
                + node
                + " is not one that Java trusts; for one of your own give the JVM"
                + " -Djavax.net.ssl.trustStore and -Djavax.net.ssl.trustStorePassword: "
                + why.getMessage()
            : "no answer of "
                + node
                + ", see whether host and port are those of Redis, and whether it is up and not too"
                + " slow for the time-out: "
                + why.getMessage(),
        false,
        cause);
  }

  /** Takes a connection back; when one has failed, those that lie idle are not trusted either. */
  void giveBack(JedisLink link, boolean failed) {
    synchronized (this) {
      if (!failed && !closed) {
        idle.addLast(link);
      } else {
        link.disconnect();
        if (failed) {
          disconnectIdle();
        }
      }
    }
    permits.release();
  }

  synchronized void close() {
    closed = true;
    disconnectIdle();
  }

  private void disconnectIdle() {
    idle.forEach(JedisLink::disconnect);
    idle.clear();
  }
}
