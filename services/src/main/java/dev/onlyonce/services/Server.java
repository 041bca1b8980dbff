package dev.onlyonce.services;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A real server of our own, which can be killed, paused and started again.
 *
 * <p>It runs in the foreground as a child of this JVM, on a random port of 127.0.0.1 and nowhere
 * else, with its data in a temporary directory (of the property {@code java.io.tmpdir}). Under root
 * it runs as nobody, unless it is a JVM. It is there when it has answered a question that no other
 * server could. By default it is durable, with small memory; the caller's settings win over the
 * defaults. No server outlives this JVM, however that ends; only the directory stays when this JVM
 * is killed.
 *
 * <p>Thread-safe; one call waits for another.
 *
 * <p>Throws {@link ServerException} when it does not do what it is told, with the last lines of its
 * log.
 */
public abstract class Server implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);
  private static final Duration PORT_LIMIT = Duration.ofSeconds(10);
  private static final int PORT_ATTEMPTS = 10;
  private static final int SHOWN_LINES = 60; // RabbitMQ's words come before a long report
  private static final int LOG_LINES = 200;
  private static final String PORT_CLASH = "Address already in use";
  private static final Set<Server> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> OPEN.forEach(Server::leave), "server killer"));
  }

  private final String name;
  private final Home home;
  private volatile int port;
  private volatile @Nullable Child child;
  private String refusal = "nothing";

  Server(String name) {
    this(name, RunAs.NOT_ROOT);
  }

  Server(String name, RunAs user) {
    this.name = name;
    home = Home.create(name.toLowerCase(Locale.ROOT), user);
    OPEN.add(this);
  }

  /** Makes what the server finds when it is started for the first time. */
  void prepare() {}

  /** What starts it in the foreground. */
  abstract List<String> command(int chosenPort);

  /**
   * Asks it something. True if the process with this id has answered, false if some other one has
   * the port; throws if nothing answers, or not as it does when it is ready.
   */
  abstract boolean answers(long pid) throws IOException, SQLException;

  /** Whether it ended, after this log, because another program has one of its ports. */
  boolean saysThatAPortIsTaken(String log) {
    return log.contains(PORT_CLASH);
  }

  /** The signal that asks it to end in good order. */
  String stopSignal() {
    return "TERM";
  }

  /** The signal that ends it at once, without leaving anything in the system. */
  String leaveSignal() {
    return "KILL";
  }

  static <S extends Server> S start(S server) {
    return start(server, Ports::free);
  }

  static <S extends Server> S start(S server, IntSupplier ports) {
    boolean started = false;
    try {
      server.prepare();
      server.startOnOneOf(ports);
      started = true;
      return server;
    } finally {
      if (!started) {
        server.close();
      }
    }
  }

  /** Where it is; all its clients may use this. */
  public abstract String url();

  /** Its address, which stays the same when it is started again. */
  public final InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Whether its process is there; a paused one is. */
  public final boolean isRunning() {
    Child current = child;
    return current != null && current.isAlive();
  }

  /** Its process id. */
  public final synchronized long pid() {
    return running("asked for its process id").pid();
  }

  /** The last lines of its log. */
  public final List<String> log() {
    return home.lastLogLines(LOG_LINES);
  }

  /**
   * Kills it (SIGKILL) with all processes that it has started, paused or not, and waits until they
   * are dead.
   */
  public final synchronized void kill() {
    running("killed").kill();
  }

  /** Asks it to end in good order, and waits until it has. A paused one is resumed before. */
  public final synchronized void stop() {
    Child current = running("stopped");
    current.resume();
    current.signal(stopSignal());
    if (!current.awaitEnd(STOP_LIMIT)) {
      throw failure("did not stop within " + STOP_LIMIT);
    }
  }

  /** Stops all its processes (SIGSTOP) and waits until none of them does anything. */
  public final synchronized void pause() {
    Child current = running("paused");
    if (current.isPaused()) {
      throw failure("is paused already");
    }
    current.pause();
  }

  /** Lets its processes go on (SIGCONT). */
  public final synchronized void resume() {
    Child current = running("resumed");
    if (!current.isPaused()) {
      throw failure("is not paused");
    }
    current.resume();
  }

  /** Starts it again, on the same port, settings and data. If it still runs it is stopped first. */
  public final synchronized void restart() {
    if (!OPEN.contains(this)) {
      throw failure("is closed");
    }
    if (isRunning()) {
      stop();
    }
    if (!Await.until(PORT_LIMIT, this::startsOnItsPort)) {
      throw failure("found its port taken by another program");
    }
  }

  /** Ends it at once and deletes its data. Without effect when it is closed. */
  @Override
  public final synchronized void close() {
    if (OPEN.remove(this)) {
      leave();
    }
  }

  private void leave() {
    Child current = child;
    if (current != null) {
      if (current.isAlive() && !current.isPaused()) {
        current.signal(leaveSignal());
        current.awaitEnd(Duration.ofSeconds(5));
      }
      current.kill();
    }
    home.delete();
  }

  final Home home() {
    return home;
  }

  final void startOnOneOf(IntSupplier ports) {
    for (int attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
      port = ports.getAsInt();
      if (startsOnItsPort()) {
        return;
      }
    }
    throw failure("found every port taken that it tried");
  }

  /** Starts it and waits until it answers. False if another program has the port. */
  private boolean startsOnItsPort() {
    long logStart = home.logSize();
    Child started = Child.start(home, command(port));
    child = started;
    boolean done = Await.until(START_LIMIT, () -> !started.isAlive() || isReady(started.pid()));
    if (started.isAlive() && done) {
      return true;
    }
    if (!done) {
      started.kill();
      throw failure("did not answer as it should within " + START_LIMIT + " but " + refusal);
    }
    if (saysThatAPortIsTaken(home.logSince(logStart))) {
      return false;
    }
    throw failure("ended with " + started.exitValue() + " before it answered");
  }

  final boolean isReady(long pid) {
    try {
      return answers(pid);
    } catch (IOException | SQLException e) {
      refusal = e.toString();
      return false;
    }
  }

  private Child running(String wish) {
    Child current = child;
    if (current == null || !current.isAlive()) {
      throw failure("does not run and cannot be " + wish);
    }
    return current;
  }

  final ServerException failure(String what) {
    return new ServerException(
        "%s %s; the last lines of its log:%n  %s"
            .formatted(this, what, String.join("\n  ", home.lastLogLines(SHOWN_LINES))));
  }

  @Override
  public String toString() {
    return name + " on 127.0.0.1:" + port;
  }
}
