package dev.onlyonce.store.redis.internal;

/** Where a server listens. Sorted by name, so that all callers take connections in one order. */
record Node(String host, int port) implements Comparable<Node> {

  @Override
  public int compareTo(Node other) {
    int byHost = host.compareTo(other.host);
    return byHost != 0 ? byHost : Integer.compare(port, other.port);
  }

  @Override
  public String toString() {
    return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
  }
}
