package dev.onlyonce.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.onlyonce.spi.Limits;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.net.URI;

/** {@code SET NX} by Lettuce's synchronous commands, on one connection that all threads share. */
final class LettucePeer implements RedisPeer {

  static final String SETTINGS = "synchronous commands, one connection for all threads";

  private static final byte[] CLAIMED = "c".getBytes(ISO_8859_1);
  private static final byte[] DONE = "d".getBytes(ISO_8859_1);

  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final RedisCommands<byte[], byte[]> commands;

  LettucePeer(URI uri) {
    client = RedisClient.create(RedisURI.create(uri));
    connection = client.connect(ByteArrayCodec.INSTANCE);
    commands = connection.sync();
  }

  @Override
  public boolean claim(byte[] key) {
    SetArgs args = SetArgs.Builder.nx().ex(Limits.RETENTION);
    return commands.set(key, DONE, args) != null;
  }

  @Override
  public boolean handle(byte[] key) {
    if (commands.set(key, CLAIMED, SetArgs.Builder.nx().px(Limits.LEASE)) == null) {
      return false;
    }
    if (commands.set(key, DONE, SetArgs.Builder.xx().ex(Limits.RETENTION)) == null) {
      throw new IllegalStateException("a claim was lost");
    }
    return true;
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
