package dev.onlyonce.bench;

import java.net.URI;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.metadata.RedisMetadataStore;

/**
 * What Spring Integration's idempotent receiver asks for a key: {@code putIfAbsent}. It does not
 * tell a message that is done from one that is in work, and never forgets one.
 */
final class SpringMetadataPeer implements RedisPeer {

  static final String SETTINGS = "Lettuce, whose one connection is shared, as is the default";

  private final LettuceConnectionFactory connections;
  private final RedisMetadataStore store;

  SpringMetadataPeer(URI uri) {
    connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
    connections.afterPropertiesSet();
    connections.start();
    store = new RedisMetadataStore(connections);
  }

  @Override
  public boolean claim(byte[] key) {
    return store.putIfAbsent(MessageKeys.text(key), "1") == null;
  }

  @Override
  public boolean handle(byte[] key) {
    return claim(key);
  }

  @Override
  public void close() {
    connections.destroy();
  }
}
