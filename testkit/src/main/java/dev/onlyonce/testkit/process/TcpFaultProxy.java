package dev.onlyonce.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A TCP proxy on 127.0.0.1 between a client and a server, which can make their network slow, silent
 * or broken while they talk.
 *
 * <p>Without faults it passes on every byte, the end of either direction, and resets, in order. A
 * fault is in force when the call that sets it has returned, for the connections that are open and
 * for those to come; nothing that it forbids is passed on after that. A connection in which bytes
 * were lost is never used again: it is reset when the fault is taken back. Faults add up.
 *
 * <p>A connection is accepted before the target is reached: if the target refuses, the client is
 * connected and then reset.
 *
 * <p>Thread-safe. One thread serves all connections, which may be hundreds.
 *
 * <p>Bytes are payload bytes of one direction. They count as forwarded when they were given to the
 * receiver's socket. A connection holds back at most {@value ProxyPipe#HELD_LIMIT_BYTES} bytes a
 * direction and then reads no more, so that the sender notices.
 *
 * <p>Throws {@link UncheckedIOException} where it cannot listen, and {@link IllegalStateException}
 * when it is closed.
 */
public final class TcpFaultProxy implements AutoCloseable {

  /** How a connection that is cut ends, on both sides. */
  public enum Ending {
    /** Reset: the peers' calls fail. What was forwarded last may be lost with it. */
    RST,
    /**
     * An orderly end: the peers read an end of stream. What they still send is swallowed until they
     * close, too, so that no reset can overtake the end.
     */
    FIN
  }

  /** What went through one direction since the proxy was opened. */
  public record Traffic(long receivedBytes, long forwardedBytes, long lostBytes) {
    /** What was received and is neither forwarded nor lost yet. */
    public long heldBytes() {
      return receivedBytes - forwardedBytes - lostBytes;
    }
  }

  /** How many connections were accepted, are open now, and were cut by a fault. */
  public record Connections(long accepted, int open, long cut) {}

  private final ProxyLoop loop;
  private final Direction requests;
  private final Direction answers;

  private TcpFaultProxy(ProxyLoop loop) {
    this.loop = loop;
    requests = new Direction(loop, loop.requests);
    answers = new Direction(loop, loop.answers);
  }

  /** Opens a proxy on a free port, to a port of 127.0.0.1. */
  public static TcpFaultProxy toLocal(int port) {
    try {
      return to(ProxyLoop.local(port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens a proxy on a free port. The target is connected to anew for each connection. */
  public static TcpFaultProxy to(InetSocketAddress target) {
    try {
      return new TcpFaultProxy(ProxyLoop.start(target));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Opens a proxy on an address of its own, such as the target's port of {@code 127.0.0.2}, for
   * clients that are told the port and keep to the host.
   */
  public static TcpFaultProxy between(InetSocketAddress own, InetSocketAddress target) {
    try {
      return new TcpFaultProxy(ProxyLoop.start(own, target));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the client is to connect to; the same until the proxy is closed. */
  public InetSocketAddress address() {
    return loop.address();
  }

  /** The port of {@link #address}. */
  public int port() {
    return address().getPort();
  }

  /** From the client to the target. */
  public Direction requests() {
    return requests;
  }

  /** From the target to the client. */
  public Direction answers() {
    return answers;
  }

  /** Refuses new connections, as a server that is down does; open ones are left alone. */
  public void refuse() {
    loop.run(ProxyLoop::refuse);
  }

  /** Takes {@link #refuse} back. */
  public void accept() {
    loop.run(ProxyLoop::accept);
  }

  /** Ends all open connections; says how many there were. What is held back is dropped. */
  public int cutAll(Ending ending) {
    return loop.call(proxy -> proxy.cutAll(ending));
  }

  /** Takes all faults back, of both directions too, and sends on what is held back. */
  public void heal() {
    accept();
    requests.heal();
    answers.heal();
  }

  /** The connections so far. */
  public Connections connections() {
    return loop.call(ProxyLoop::counts);
  }

  /** Resets all connections and frees the port. */
  @Override
  public void close() {
    loop.close();
  }

  /** One direction of all connections, with the faults that it can be given. */
  public static final class Direction {
    private final ProxyLoop loop;
    private final ProxyFaults faults;

    private Direction(ProxyLoop loop, ProxyFaults faults) {
      this.loop = loop;
      this.faults = faults;
    }

    /**
     * Delays each piece that is received from now on by a fixed time and up to {@code jitter} more;
     * their order stays. Each delay is drawn from the seed and the numbers of connection and piece.
     */
    public void delay(Duration fixed, Duration jitter, long seed) {
      if (fixed.isNegative() || jitter.isNegative()) {
        throw new IllegalArgumentException(
            "a delay must not be negative, was " + fixed + " and " + jitter);
      }
      change(ours -> ours.delay(fixed.toNanos(), jitter.toNanos(), seed));
    }

    /** Limits what is received from now on to so many bytes a second, for each connection. */
    public void limitRate(long bytesPerSecond) {
      if (bytesPerSecond <= 0) {
        throw new IllegalArgumentException("a rate must be positive, was " + bytesPerSecond);
      }
      change(ours -> ours.limitRate(bytesPerSecond));
    }

    /** Forwards nothing, not even the end; what is received is held back. */
    public void stall() {
      change(ProxyFaults::stall);
    }

    /** Takes {@link #stall} back and sends on what was held back. */
    public void resume() {
      loop.run(
          proxy -> {
            faults.resume();
            proxy.pumpAll();
          });
    }

    /**
     * Swallows everything from now on, the end and what is held back included: the receiver hears
     * nothing, the sender notices nothing. (As if an answer were lost after the request arrived.)
     */
    public void lose() {
      loop.run(
          proxy -> {
            faults.lose();
            proxy.pumpAll();
          });
    }

    /**
     * Ends each connection as soon as it has forwarded so many bytes in this direction, counted
     * from now or from its own start. With 0 it ends when the first byte is received.
     */
    public void cutAfter(long bytes, Ending ending) {
      cut(bytes, ending, Integer.MAX_VALUE);
    }

    /** As {@link #cutAfter}, but only the connection that comes to it first. */
    public void cutOnceAfter(long bytes, Ending ending) {
      cut(bytes, ending, 1);
    }

    private void cut(long bytes, Ending ending, int times) {
      if (bytes < 0) {
        throw new IllegalArgumentException("bytes must not be negative, was " + bytes);
      }
      loop.run(
          proxy -> {
            faults.cutAfter(bytes, ending, times);
            proxy.startCounting(faults);
          });
    }

    /**
     * Ends this direction of the connections that are open: their receivers read an end of stream,
     * what their senders still send is lost, and the other direction goes on.
     */
    public void halfClose() {
      loop.run(proxy -> proxy.halfClose(faults));
    }

    /** Takes all faults of this direction back and sends on what is held back. */
    public void heal() {
      loop.run(
          proxy -> {
            faults.heal();
            proxy.healAll(faults);
          });
    }

    /** What went through this direction so far. */
    public Traffic traffic() {
      return loop.call(proxy -> faults.traffic());
    }

    private void change(Consumer<ProxyFaults> fault) {
      loop.run(proxy -> fault.accept(faults));
    }
  }
}
