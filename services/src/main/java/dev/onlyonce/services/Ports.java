package dev.onlyonce.services;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports of 127.0.0.1 that nobody listens on.
 *
 * <p>They lie below those that the system gives to clients. One of these could be taken by any
 * client while its server is down, even by a client that looks for this server: it would find
 * itself. What is added to a port for a second purpose (10,000 by Redis Cluster) stays below, too.
 */
final class Ports {
  private static final int LOWEST = 10_000;
  private static final int HIGHEST = 22_700;
  private static final int ATTEMPTS = 1_000;

  private Ports() {}

  static int free() {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST + 1);
      if (isFree(port)) {
        return port;
      }
    }
    throw new ServerException("no free port was found on 127.0.0.1");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
