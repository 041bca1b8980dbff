package dev.onlyonce.services;

import java.net.InetSocketAddress;
import java.net.URI;

/**
 * A logical database that was empty when it was handed out, in a server of the kind {@code S}: our
 * own, or one that was named in the environment.
 *
 * @param url all that a client needs, user and password included; a JDBC URL, or {@code redis://}
 */
public record Database<S extends Server>(String url) {
  private static final String JDBC = "jdbc:";

  /** The address of the server, for a proxy. */
  public InetSocketAddress address() {
    return new InetSocketAddress(uri().getHost(), uri().getPort());
  }

  /** The same database, reached through a proxy on a port of 127.0.0.1. */
  public Database<S> through(int port) {
    String user = uri().getRawUserInfo();
    String proxy = "//" + (user == null ? "" : user + "@") + "127.0.0.1:" + port;
    return new Database<>(url.replace("//" + uri().getRawAuthority(), proxy));
  }

  String name() {
    return uri().getPath().substring(1);
  }

  private URI uri() {
    return URI.create(url.startsWith(JDBC) ? url.substring(JDBC.length()) : url);
  }
}
