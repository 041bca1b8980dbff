package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.services.RedisServer;
import dev.onlyonce.services.Servers;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.spi.Time;
import dev.onlyonce.testkit.Semantics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How long a call is sent again; the server is a real one, the clock is moved by the test. */
@ExtendWith(Servers.class)
class DispatcherTest {

  /** The clocks of this machine, which leap when they are told to. */
  private static final class Leaping implements Time {
    private Duration leapt = Duration.ZERO;

    @Override
    public Instant instant() {
      return Time.system().instant().plus(leapt);
    }

    @Override
    public long nanoTime() {
      return Time.system().nanoTime() + leapt.toNanos();
    }
  }

  /** Connects as the store does; the first answer is lost, and one connection takes a minute. */
  private static final class Slow implements RedisPort {
    private final RedisPort port;
    private final Leaping time;
    private final int slow;
    private int links;
    private int scripts;

    private Slow(RedisPort port, Leaping time, int slow) {
      this.port = port;
      this.time = time;
      this.slow = slow;
    }

    @Override
    public String user() {
      return port.user();
    }

    @Override
    public Link link(Node node) throws LinkException {
      Link link = port.link(node);
      int number = links++;
      if (number == slow) {
        time.leapt = Duration.ofMinutes(1);
      }
      return new Counted(link, number == 0);
    }

    @Override
    public void close() {
      port.close();
    }

    private final class Counted implements Link {
      private final Link link;
      private final boolean loses;

      private Counted(Link link, boolean loses) {
        this.link = link;
        this.loses = loses;
      }

      @Override
      public boolean isNew() {
        return link.isNew();
      }

      @Override
      public void send(byte[]... command) throws LinkException {
        scripts += new String(command[0], US_ASCII).startsWith("EVAL") ? 1 : 0;
        link.send(command);
      }

      @Override
      public void flush() throws LinkException {
        link.flush();
      }

      @Override
      public @Nullable Object receive() throws LinkException {
        Object reply = link.receive();
        if (loses) {
          throw new LinkException("the answer is lost", false, null);
        }
        return reply;
      }

      @Override
      public void close() {
        link.close();
      }
    }
  }

  private static Call call() {
    Names.Name meta = Names.meta("onlyonce");
    return new Call(Script.OPEN, meta.key(), meta.slot(), false, List.of());
  }

  private static Slow run(RedisServer server, int slow) throws Exception {
    RedisAddress address = RedisAddress.of(List.of(server.url()));
    RedisSettings settings = new RedisSettings();
    Leaping time = new Leaping();
    settings.time = time;
    try (JedisPort port = new JedisPort(address, settings)) {
      Topology topology = new Topology(port, address.seeds());
      topology.look();
      new Dispatcher(port, topology, settings).run(List.of(call())); // the server knows the script
      Slow counting = new Slow(port, time, slow);
      Topology again = new Topology(counting, address.seeds());
      again.moved(call().slot, address.seeds().get(0));
      try {
        new Dispatcher(counting, again, settings).run(List.of(call()));
      } catch (StoreException e) {
        assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(counting.scripts).as("sent").isEqualTo(1);
        throw e;
      }
      return counting;
    }
  }

  @Test
  @Semantics({70, 98})
  void a_call_whose_answer_was_lost_is_sent_again(RedisServer server) throws Exception {
    assertThat(run(server, Integer.MAX_VALUE).scripts).isEqualTo(2);
  }

  /** By that a store with a compact tier knows how long it may get a request again. */
  @Test
  @Semantics({70, 98})
  void nothing_is_sent_again_when_looking_took_the_patience(RedisServer server) {
    assertThatThrownBy(() -> run(server, 1)).hasMessageContaining("the answer is lost");
  }

  @Test
  @Semantics({70, 98})
  void nothing_is_sent_again_when_connecting_took_the_patience(RedisServer server) {
    assertThatThrownBy(() -> run(server, 2)).hasMessageContaining("when the patience, PT10S, was");
  }
}
