package dev.onlyonce.broker.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Where a RabbitMQ server or cluster is, and as whom it is entered.
 *
 * <p>The client's own recovery is off. It would declare and consume again by itself, and a delivery
 * of the old channel could no longer be told from one of the new one, whose tags begin at 1 again.
 * Sources and publishers connect again themselves, each with a connection of its own, since a
 * connection that publishes is stopped while the server is short of memory or disk.
 *
 * <p>Immutable; any number of threads.
 */
public final class RabbitBroker {
  private static final int LIMIT_MILLIS = 10_000;
  private static final int HEARTBEAT_SECONDS = 10;

  private final ConnectionFactory factory;
  private final List<Address> addresses;

  private RabbitBroker(ConnectionFactory factory, List<Address> addresses) {
    this.factory = factory;
    this.addresses = addresses;
  }

  /**
   * Returns the one that a URI names: {@code amqp://USER:PASSWORD@HOST:PORT/VHOST}, or {@code
   * amqps} for TLS. Heartbeats are 10 seconds apart, so that a connection that has gone silent is
   * noticed in 20.
   *
   * @throws IllegalArgumentException if it is no such URI
   */
  public static RabbitBroker at(String uri) {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setRequestedHeartbeat(HEARTBEAT_SECONDS);
    try {
      factory.setUri(uri);
    } catch (URISyntaxException | GeneralSecurityException | RuntimeException e) {
      // The URI has a password in it, and so may the message and the cause.
      throw new IllegalArgumentException(
          "the URI of the broker must be amqp://USER:PASSWORD@HOST:PORT/VHOST, where what is"
              + " no letter or digit in user, password and virtual host is percent-encoded");
    }
    return with(factory);
  }

  /**
   * Returns the one that a factory is set to. It is copied, with recovery switched off and time
   * limits of at most 10 seconds for connecting and for each question.
   *
   * @param nodes of a cluster, of which any will do; none for the factory's own host
   */
  public static RabbitBroker with(ConnectionFactory factory, Address... nodes) {
    ConnectionFactory own = factory.clone();
    own.setAutomaticRecoveryEnabled(false);
    own.setTopologyRecoveryEnabled(false);
    own.setConnectionTimeout(limited(own.getConnectionTimeout()));
    own.setHandshakeTimeout(limited(own.getHandshakeTimeout()));
    own.setChannelRpcTimeout(limited(own.getChannelRpcTimeout()));
    return new RabbitBroker(
        own, nodes.length == 0 ? List.of(new Address(own.getHost(), own.getPort())) : copy(nodes));
  }

  private static List<Address> copy(Address[] nodes) {
    return List.copyOf(Arrays.asList(nodes));
  }

  private static int limited(int millis) {
    return millis == 0 ? LIMIT_MILLIS : Math.min(millis, LIMIT_MILLIS);
  }

  /** Opens a connection, whose name is shown in the server's list. */
  Connection connect(String name) throws IOException, TimeoutException {
    return factory.newConnection(addresses, name);
  }

  String virtualHost() {
    return factory.getVirtualHost();
  }

  String user() {
    return factory.getUsername();
  }

  /** Returns addresses, virtual host and user; not the password. */
  @Override
  public String toString() {
    String nodes = addresses.stream().map(Address::toString).collect(Collectors.joining(","));
    return "%s, virtual host %s, as user %s".formatted(nodes, virtualHost(), user());
  }
}
