package dev.onlyonce.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Claim;
import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.testkit.ServerClock;
import dev.onlyonce.testkit.StoreSettings;
import dev.onlyonce.testkit.UnknownStateContract;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A newer version has written a state that this one does not know. */
@ExtendWith(Servers.class)
class UnknownStateTest implements ServerClock, UnknownStateContract {

  private static final int STATE_OF_A_NEWER_VERSION = 6;

  private RedisServer server;

  @BeforeEach
  void remember(RedisServer own) {
    server = own;
    Raw.ask(server, it -> it.flushAll());
  }

  @Override
  public ClaimStore open(StoreSettings settings) {
    return RedisStore.at(server.url()).shards(1).purgeGrace(settings.purgeGrace()).open();
  }

  /** Its expiry, which is the end of the lease in the state that it has, is set to 1970. */
  @Override
  public void plantUnknownState(Claim claim) {
    byte[] shard =
        Raw.ask(server, it -> it.keys("onlyonce:{*}")).iterator().next().getBytes(US_ASCII);
    Map<byte[], byte[]> all = Raw.ask(server, it -> it.hgetAll(shard));
    all.forEach(
        (field, record) -> {
          if (field.length == 14) {
            record[0] = (byte) ((record[0] & ~7) | STATE_OF_A_NEWER_VERSION);
            Arrays.fill(record, 8, 14, (byte) 0);
            Raw.ask(server, it -> it.hset(shard, field, record));
          }
        });
  }
}
