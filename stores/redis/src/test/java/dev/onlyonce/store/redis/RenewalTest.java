package dev.onlyonce.store.redis;

import dev.onlyonce.services.RedisCluster;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.testkit.process.RenewalRules;
import dev.onlyonce.testkit.process.TcpFaultProxy;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link RenewalRules} on one server and on a cluster. */
@ExtendWith(Servers.class)
class RenewalTest {

  @Nested
  class OneServer extends RenewalRules {
    private final RedisServer server;

    OneServer(RedisServer server) {
      this.server = server;
    }

    @Override
    protected Workers open() {
      Raw.ask(server, it -> it.flushAll());
      TcpFaultProxy proxy = closing(TcpFaultProxy.to(server.address()));
      RedisStore second = closing(RedisStore.open(server.url()));
      RedisStore holder = closing(RedisStore.at("127.0.0.1", proxy.port()).open());
      return new Workers(List.of(proxy), holder, second);
    }
  }

  /** The nodes tell their ports only, so that whoever has come by another address stays with it. */
  @Nested
  class Cluster extends RenewalRules {
    private static final String PROXIES = "127.0.0.2";

    private final RedisCluster cluster;

    Cluster(RedisCluster cluster) {
      this.cluster = cluster;
    }

    @Override
    protected Workers open() {
      List<TcpFaultProxy> proxies = cluster.nodes().stream().map(this::proxy).toList();
      String[] urls = cluster.urls().toArray(String[]::new);
      String[] ways =
          proxies.stream().map(it -> "redis://" + PROXIES + ":" + it.port()).toArray(String[]::new);
      String prefix = "renewals-" + System.identityHashCode(this);
      RedisStore second = closing(RedisStore.at(urls).prefix(prefix).open());
      RedisStore holder = closing(RedisStore.at(ways).prefix(prefix).open());
      return new Workers(proxies, holder, second);
    }

    private TcpFaultProxy proxy(RedisServer node) {
      Raw.ask(node, it -> it.configSet("cluster-preferred-endpoint-type", "unknown-endpoint"));
      InetSocketAddress own = new InetSocketAddress(PROXIES, node.address().getPort());
      return closing(TcpFaultProxy.between(own, node.address()));
    }
  }
}
