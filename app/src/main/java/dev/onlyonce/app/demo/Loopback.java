package dev.onlyonce.app.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Addresses of this machine that no other one can reach. */
final class Loopback {

  private static final byte[] ADDRESS = {127, 0, 0, 1};

  private Loopback() {}

  static InetSocketAddress port(int port) throws IOException {
    return new InetSocketAddress(InetAddress.getByAddress(ADDRESS), port);
  }

  /** Listens at a port that is free. */
  static ServerSocket listen() throws IOException {
    ServerSocket server = new ServerSocket();
    server.bind(port(0));
    return server;
  }
}
