package dev.onlyonce.broker.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.Source.Demand;
import dev.onlyonce.spi.SourceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/** Polls a source as a consumer does, and keeps what it was told. */
final class Reader implements Source.Ownership, AutoCloseable {
  private static final Duration GUARD = Duration.ofMinutes(2);
  private static final Duration WAIT = Duration.ofMillis(100);

  final Source source;
  final List<Arrival> arrivals = new ArrayList<>();
  final Set<String> revoked = new TreeSet<>();
  final Set<String> lost = new TreeSet<>();
  final List<SourceException> passing = new ArrayList<>();
  boolean finishesWhatIsRevoked;

  Reader(Source source) {
    this.source = source;
  }

  @Override
  public void revoked(Set<String> lanes) {
    revoked.addAll(lanes);
    if (finishesWhatIsRevoked) {
      source.acknowledge(arrivals.stream().filter(it -> lanes.contains(it.lane())).toList());
    }
  }

  @Override
  public void lost(Set<String> lanes) {
    lost.addAll(lanes);
  }

  /** One poll; what it returned. */
  List<Arrival> poll(int most, Set<String> full) {
    List<Arrival> got = List.of();
    try {
      got = source.poll(new Demand(most, WAIT, full), this);
    } catch (SourceException e) {
      if (e.kind() == SourceException.Kind.FINAL) {
        throw e;
      }
      passing.add(e);
    }
    arrivals.addAll(got);
    return got;
  }

  List<Arrival> poll() {
    return poll(500, Set.of());
  }

  /** Polls without wanting anything. */
  void pollOn() {
    poll(0, Set.of());
  }

  /** Polls until it is so. */
  void pollUntil(BooleanSupplier reached) {
    until(reached, this::poll);
  }

  /** Polls for nothing until it is so. */
  void pollOnUntil(BooleanSupplier reached) {
    until(reached, this::pollOn);
  }

  static void until(BooleanSupplier reached, Runnable step) {
    long end = System.nanoTime() + GUARD.toNanos();
    while (!reached.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("was not reached within " + GUARD);
      }
      step.run();
    }
  }

  /** Polls until there were so many arrivals in all. */
  Reader read(int count) {
    pollUntil(() -> arrivals.size() >= count);
    return this;
  }

  void acknowledge(int... indexes) {
    List<Arrival> finished = new ArrayList<>();
    for (int index : indexes) {
      finished.add(arrivals.get(index));
    }
    source.acknowledge(finished);
  }

  void acknowledgeAll() {
    source.acknowledge(arrivals);
  }

  List<String> bodies() {
    return bodies(arrivals);
  }

  static List<String> bodies(List<Arrival> arrivals) {
    return arrivals.stream().map(it -> new String(it.delivery().body(), UTF_8)).toList();
  }

  @Override
  public void close() {
    source.close();
  }
}
