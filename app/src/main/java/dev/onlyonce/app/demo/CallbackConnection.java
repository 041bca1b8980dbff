package dev.onlyonce.app.demo;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * One of the platform's connections to a worker, and the copies that are in flight on it. {@link
 * Worker} has the format. Not safe for use by several threads.
 */
final class CallbackConnection implements Closeable {

  private static final int FRAME_BYTES = 8;

  private final SocketChannel channel;
  private final SelectionKey key;
  private final int window;
  private final ByteBuffer out;
  private final ByteBuffer in;
  private final Set<Integer> inFlight = new LinkedHashSet<>();
  private boolean isOpen = true;

  /** Takes what the worker answers. */
  @FunctionalInterface
  interface Answers {
    /**
     * Takes one.
     *
     * @param millis zero if it is acknowledged, else after how long it is to be delivered again
     */
    void take(int copy, int millis);
  }

  private CallbackConnection(SocketChannel channel, SelectionKey key, int window) {
    this.channel = channel;
    this.key = key;
    this.window = window;
    this.out = ByteBuffer.allocate(window * FRAME_BYTES);
    this.in = ByteBuffer.allocate(window * FRAME_BYTES);
  }

  static CallbackConnection open(int port, int window, Selector selector) throws IOException {
    SocketChannel channel = SocketChannel.open(Loopback.port(port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
    return new CallbackConnection(channel, key, window);
  }

  /** Tells whether another copy may be in flight. */
  boolean hasRoom() {
    return isOpen && inFlight.size() < window && out.hasRemaining();
  }

  /** Has a copy sent with the next {@link #write()}. */
  void add(int copy, Payment payment) {
    out.putInt(copy).putInt(payment.number());
    inFlight.add(copy);
  }

  /** Sends what the connection takes. */
  void write() {
    if (!isOpen || out.position() == 0) {
      return;
    }
    try {
      out.flip();
      channel.write(out);
      out.compact();
      boolean isAllSent = out.position() == 0;
      key.interestOps(SelectionKey.OP_READ | (isAllSent ? 0 : SelectionKey.OP_WRITE));
    } catch (IOException e) {
      out.compact();
      key.interestOps(SelectionKey.OP_READ);
    }
  }

  /** Reads the answers that are there, and whether the worker is gone. */
  void read(Answers answers) {
    if (!isOpen) {
      return;
    }
    try {
      isOpen = channel.read(in) >= 0;
    } catch (IOException e) {
      isOpen = false; // a reset, since the worker died with callbacks unread
    }
    if (!isOpen) {
      key.cancel();
    }
    in.flip();
    while (in.remaining() >= FRAME_BYTES) {
      int copy = in.getInt();
      inFlight.remove(copy);
      answers.take(copy, in.getInt());
    }
    in.compact();
  }

  /** Tells whether the worker is still there, as far as was read. */
  boolean isOpen() {
    return isOpen;
  }

  /** Returns the copies that were sent and not answered. */
  Set<Integer> inFlight() {
    return inFlight;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
