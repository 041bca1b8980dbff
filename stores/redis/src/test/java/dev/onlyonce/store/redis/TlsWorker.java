package dev.onlyonce.store.redis;

import dev.onlyonce.spi.StoreException;
import java.util.List;

/**
 * Claims and completes a key, with this store of trusted certificates: that of a JVM is fixed when
 * it is first looked at. Prints HELD, or what was the matter.
 */
final class TlsWorker {

  private TlsWorker() {}

  public static void main(String[] args) {
    if (!args[0].equals("default")) {
      System.setProperty("javax.net.ssl.trustStore", args[0]);
      System.setProperty("javax.net.ssl.trustStorePassword", "changeit");
    }
    try (RedisStore store = RedisStore.open(args[1])) {
      System.out.println(store.settle(List.of(Claims.done(Claims.claim(store, "a")))));
    } catch (StoreException e) {
      System.out.println(e.kind() + " " + e.getMessage());
    }
  }
}
