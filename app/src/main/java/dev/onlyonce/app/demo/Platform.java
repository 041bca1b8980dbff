package dev.onlyonce.app.demo;

import dev.onlyonce.spi.Time;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/**
 * The payment platform while one worker lives: delivers at least once, over several connections and
 * with many callbacks in flight. Not safe for use by several threads.
 */
final class Platform implements Closeable {

  /** How many callbacks are in flight at once at the most. */
  static final int WINDOW = 256;

  /** How many connections they are sent over. */
  static final int CONNECTIONS = 4;

  private final Plan plan;
  private final Backlog backlog;
  private final Time time;
  private final Selector selector;
  private final List<CallbackConnection> connections = new ArrayList<>();

  private Platform(Plan plan, Backlog backlog, Time time, Selector selector) {
    this.plan = plan;
    this.backlog = backlog;
    this.time = time;
    this.selector = selector;
  }

  /** Connects to the worker at this port. */
  static Platform connect(int port, Plan plan, Backlog backlog, Time time) throws IOException {
    Platform platform = new Platform(plan, backlog, time, Selector.open());
    for (int i = 0; i < CONNECTIONS; i++) {
      platform.connections.add(
          CallbackConnection.open(port, WINDOW / CONNECTIONS, platform.selector));
    }
    return platform;
  }

  /**
   * Delivers until it is told to stop, all is acknowledged, or the worker is gone.
   *
   * @return false if the worker is gone
   */
  boolean deliver(BooleanSupplier isToStop) throws IOException {
    while (!isToStop.getAsBoolean() && !backlog.isDone()) {
      if (!connections.stream().allMatch(CallbackConnection::isOpen)) {
        return false;
      }
      fill();
      connections.forEach(CallbackConnection::write);
      awaitAnswers();
    }
    return true;
  }

  /** Takes the answers that a worker had sent before it died, then the rest back. */
  void drain() throws IOException {
    while (connections.stream().anyMatch(CallbackConnection::isOpen)) {
      awaitAnswers();
    }
    connections.forEach(connection -> backlog.returnAll(connection.inFlight()));
  }

  /** Gives each connection one more copy in turn, so that copies of one callback spread. */
  private void fill() {
    boolean hasMore = true;
    while (hasMore) {
      hasMore = false;
      for (CallbackConnection connection : connections) {
        hasMore |= connection.hasRoom() && addTo(connection);
      }
    }
  }

  private boolean addTo(CallbackConnection connection) {
    OptionalInt copy = backlog.take(time.nanoTime());
    copy.ifPresent(it -> connection.add(it, plan.payment(it)));
    return copy.isPresent();
  }

  private void awaitAnswers() throws IOException {
    long nanos = backlog.nanosToNext(time.nanoTime());
    long millis = (nanos + 999_999) / 1_000_000; // zero, if nothing will be due, is for ever
    selector.select(millis);
    selector.selectedKeys().clear();
    for (CallbackConnection connection : connections) {
      connection.read(this::take);
    }
  }

  private void take(int copy, int millis) {
    if (millis == 0) {
      backlog.acknowledge();
    } else {
      backlog.returnLater(copy, time.nanoTime() + millis * 1_000_000L);
    }
  }

  @Override
  public void close() throws IOException {
    for (CallbackConnection connection : connections) {
      connection.close();
    }
    selector.close();
  }
}
