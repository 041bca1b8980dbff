package dev.onlyonce.testkit.process;

import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;

/** A client's connection and the one to the target; belongs to the thread of the proxy. */
final class ProxyConnection {
  private final SocketChannel client;
  private final SocketChannel target;
  private final SelectionKey clientKey;
  private final SelectionKey targetKey;
  private final ProxyPipe requests;
  private final ProxyPipe answers;
  private boolean connected;
  private boolean cut;
  private boolean closed;

  ProxyConnection(ProxyLoop loop, Selector selector, SocketChannel client, long number)
      throws IOException {
    this.client = client;
    target = SocketChannel.open();
    for (SocketChannel channel : List.of(client, target)) {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
    clientKey = client.register(selector, 0, this);
    targetKey = target.register(selector, 0, this);
    requests = new ProxyPipe(loop.requests, client, target, number);
    answers = new ProxyPipe(loop.answers, target, client, number);
  }

  void connect(InetSocketAddress address) {
    try {
      connected = target.connect(address);
      updateInterest();
    } catch (IOException | UnresolvedAddressException e) {
      reset();
    }
  }

  /** Does what the key's channel is ready for. */
  void ready(SelectionKey key, ByteBuffer buffer, long nowNanos) {
    if (closed) {
      return;
    }
    if (!connected) {
      finishConnecting();
    } else if (key.isReadable()) {
      (key == clientKey ? requests : answers).read(buffer, nowNanos);
    }
    pump(nowNanos);
  }

  private void finishConnecting() {
    try {
      connected = connected || target.finishConnect();
    } catch (IOException e) {
      reset();
    }
  }

  /** Passes on what may go now, in both directions. */
  void pump(long nowNanos) {
    if (closed || !connected) {
      return;
    }
    Ending ending = requests.pump(answers, nowNanos);
    if (ending == null) {
      ending = answers.pump(requests, nowNanos);
    }
    if (ending != null) {
      end(ending, nowNanos);
    } else if (requests.isFinished() && answers.isFinished()) {
      close();
    } else {
      updateInterest();
    }
  }

  private void updateInterest() {
    if (connected) {
      clientKey.interestOps(interest(requests, answers));
      targetKey.interestOps(interest(answers, requests));
    } else {
      targetKey.interestOps(SelectionKey.OP_CONNECT);
    }
  }

  private static int interest(ProxyPipe from, ProxyPipe to) {
    int read = from.wantsToRead() ? SelectionKey.OP_READ : 0;
    return read | (to.wantsToWrite() ? SelectionKey.OP_WRITE : 0);
  }

  /** How long until it is to be pumped again; MAX_VALUE if it does not wait for a time. */
  long waitNanos(long nowNanos) {
    boolean idle = closed || !connected;
    return idle
        ? Long.MAX_VALUE
        : Math.min(requests.waitNanos(nowNanos), answers.waitNanos(nowNanos));
  }

  boolean isOpen() {
    return !closed && !cut;
  }

  boolean isClosed() {
    return closed;
  }

  void startCounting(ProxyFaults faults) {
    pipe(faults).startCounting();
  }

  /** Ends one direction; without effect while the target is not reached. */
  void halfClose(ProxyFaults faults, long nowNanos) {
    finishConnecting(); // the target may know of the connection before the selector says so
    if (connected && !closed) {
      pipe(faults).endReceiver();
      pump(nowNanos);
    }
  }

  /** Goes on where a direction has no faults any more; a connection that missed bytes cannot. */
  void heal(ProxyFaults faults, long nowNanos) {
    if (pipe(faults).isHoled() && !cut) {
      reset();
    } else {
      pipe(faults).releaseAll(nowNanos);
      pump(nowNanos);
    }
  }

  private ProxyPipe pipe(ProxyFaults faults) {
    return requests.follows(faults) ? requests : answers;
  }

  /**
   * Ends it on both sides. After FIN it stays until both peers have closed. While the target is not
   * reached it can only be reset.
   */
  void end(Ending ending, long nowNanos) {
    finishConnecting();
    if (ending == Ending.RST || !connected) {
      reset();
    } else if (!closed) {
      cut = true;
      requests.endReceiver();
      answers.endReceiver();
      pump(nowNanos);
    }
  }

  /** Closes both sockets with a reset, which the selector sends when it selects next. */
  void reset() {
    resetWhenClosed(client);
    resetWhenClosed(target);
    close();
  }

  private static void resetWhenClosed(SocketChannel channel) {
    try {
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException e) {
      // it has no connection that could be reset
    }
  }

  private void close() {
    closed = true;
    requests.drop();
    answers.drop();
    for (SocketChannel channel : List.of(client, target)) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
