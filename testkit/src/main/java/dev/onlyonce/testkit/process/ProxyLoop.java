package dev.onlyonce.testkit.process;

import dev.onlyonce.spi.Time;
import dev.onlyonce.testkit.process.TcpFaultProxy.Connections;
import dev.onlyonce.testkit.process.TcpFaultProxy.Ending;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a proxy, to which all its sockets, connections and faults belong. Others hand it
 * what they want done and wait.
 *
 * <h2>The port</h2>
 *
 * A refusing proxy does not listen, but must not lose its port to another process either. So a
 * second socket is bound to the port all the time and never listens; the kernel allows both because
 * both may reuse the address and only one listens.
 */
final class ProxyLoop {
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final int BACKLOG = 1_024;
  private static final long GUARD_SECONDS = 60;
  private static final long NANOS_PER_MILLI = 1_000_000;

  final ProxyFaults requests = new ProxyFaults();
  final ProxyFaults answers = new ProxyFaults();

  private final InetSocketAddress target;
  private final Selector selector;
  private final SocketChannel portHolder;
  private final InetSocketAddress address;
  private final Thread thread;
  private final Queue<FutureTask<?>> tasks = new ConcurrentLinkedQueue<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(ProxyPipe.PIECE_BYTES);
  private final Set<ProxyConnection> connections = new LinkedHashSet<>();
  private final Set<ProxyConnection> waiting = new LinkedHashSet<>();
  private @Nullable ServerSocketChannel listener;
  private long accepted;
  private long cut;
  private boolean closing;
  private volatile @Nullable Throwable ended;

  private ProxyLoop(InetSocketAddress own, InetSocketAddress target) throws IOException {
    this.target = target;
    selector = Selector.open();
    portHolder = SocketChannel.open(StandardProtocolFamily.INET);
    portHolder.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    portHolder.bind(own);
    address = (InetSocketAddress) portHolder.getLocalAddress();
    thread = new Thread(this::run, "tcp fault proxy " + address.getPort());
    thread.setDaemon(true);
  }

  static InetSocketAddress local(int port) throws IOException {
    return new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port);
  }

  static ProxyLoop start(InetSocketAddress target) throws IOException {
    return start(local(0), target);
  }

  static ProxyLoop start(InetSocketAddress own, InetSocketAddress target) throws IOException {
    ProxyLoop loop = new ProxyLoop(own, target);
    loop.listen();
    loop.thread.start();
    return loop;
  }

  InetSocketAddress address() {
    return address;
  }

  /** Does something on the proxy's thread and waits until it is done. */
  void run(Consumer<ProxyLoop> task) {
    call(
        loop -> {
          task.accept(loop);
          return true;
        });
  }

  /** Asks something on the proxy's thread and waits for the answer. */
  <T> T call(Function<ProxyLoop, T> task) {
    FutureTask<T> call =
        new FutureTask<>(
            () -> {
              T answer = task.apply(this);
              selector.selectNow(); // only now are closed sockets really closed
              return answer;
            });
    tasks.add(call);
    selector.wakeup();
    if (ended != null) {
      cancelTasks();
    }
    try {
      return call.get(GUARD_SECONDS, TimeUnit.SECONDS);
    } catch (CancellationException e) {
      throw new IllegalStateException("the proxy is closed", ended);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the proxy could not do it", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the proxy", e);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the proxy does not answer", e);
    }
  }

  private void run() {
    Throwable why = new IllegalStateException("closed");
    try {
      while (!closing) {
        turn();
      }
    } catch (IOException | RuntimeException e) {
      why = e;
    } finally {
      shutDown();
      ended = why;
      cancelTasks();
    }
  }

  private void turn() throws IOException {
    select();
    long now = now();
    for (SelectionKey key : selector.selectedKeys()) {
      if (key.attachment() instanceof ProxyConnection connection) {
        connection.ready(key, buffer, now);
        file(connection, now);
      } else if (key.isValid()) {
        acceptAll(now);
      }
    }
    selector.selectedKeys().clear();
    for (FutureTask<?> task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    for (ProxyConnection connection : List.copyOf(waiting)) {
      connection.pump(now());
      file(connection, now());
    }
  }

  private static long now() {
    return Time.system().nanoTime();
  }

  private void select() throws IOException {
    long now = now();
    long wait =
        waiting.stream().mapToLong(each -> each.waitNanos(now)).min().orElse(Long.MAX_VALUE);
    if (wait == Long.MAX_VALUE) {
      selector.select();
    } else if (wait == 0) {
      selector.selectNow();
    } else {
      selector.select((wait + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }
  }

  private void acceptAll(long now) throws IOException {
    ServerSocketChannel open = listener;
    while (open != null) {
      SocketChannel client = open.accept();
      if (client == null) {
        return;
      }
      serve(client, now);
    }
  }

  private void serve(SocketChannel client, long now) {
    try {
      ProxyConnection connection = new ProxyConnection(this, selector, client, accepted++);
      connections.add(connection);
      connection.connect(target);
      file(connection, now);
    } catch (IOException e) {
      closeQuietly(client);
    }
  }

  /** Notes what a connection waits for after something was done with it. */
  private void file(ProxyConnection connection, long now) {
    if (connection.isClosed()) {
      connections.remove(connection);
    }
    if (connection.waitNanos(now) < Long.MAX_VALUE) {
      waiting.add(connection);
    } else {
      waiting.remove(connection);
    }
  }

  private void forEach(ObjLongConsumer<ProxyConnection> action) {
    for (ProxyConnection connection : List.copyOf(connections)) {
      action.accept(connection, now());
      file(connection, now());
    }
  }

  void pumpAll() {
    forEach(ProxyConnection::pump);
  }

  void healAll(ProxyFaults faults) {
    forEach((connection, now) -> connection.heal(faults, now));
  }

  void halfClose(ProxyFaults faults) {
    forEach((connection, now) -> connection.halfClose(faults, now));
  }

  void startCounting(ProxyFaults faults) {
    forEach((connection, now) -> connection.startCounting(faults));
  }

  int cutAll(Ending ending) {
    List<ProxyConnection> open = connections.stream().filter(ProxyConnection::isOpen).toList();
    forEach((connection, now) -> connection.end(ending, now));
    cut += open.size();
    return open.size();
  }

  Connections counts() {
    int open = (int) connections.stream().filter(ProxyConnection::isOpen).count();
    return new Connections(accepted, open, cut + requests.cuts() + answers.cuts());
  }

  void refuse() {
    ServerSocketChannel open = listener;
    listener = null;
    if (open != null) {
      closeQuietly(open);
    }
  }

  void accept() {
    if (listener == null) {
      try {
        listen();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void listen() throws IOException {
    ServerSocketChannel open = ServerSocketChannel.open(StandardProtocolFamily.INET);
    open.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    open.bind(address, BACKLOG);
    open.configureBlocking(false);
    open.register(selector, SelectionKey.OP_ACCEPT);
    listener = open;
  }

  /** Ends the thread; nothing of the proxy is left when it returns. */
  void close() {
    if (ended == null) {
      try {
        run(loop -> loop.closing = true);
      } catch (IllegalStateException e) {
        // it ended at this moment by itself
      }
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(GUARD_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void shutDown() {
    forEach((connection, now) -> connection.reset());
    refuse();
    closeQuietly(portHolder);
    closeQuietly(selector);
  }

  private static void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      // what is closed for good need not be closed well
    }
  }

  private void cancelTasks() {
    for (FutureTask<?> task = tasks.poll(); task != null; task = tasks.poll()) {
      task.cancel(false);
    }
  }
}
