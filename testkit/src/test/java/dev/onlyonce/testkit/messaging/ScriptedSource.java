package dev.onlyonce.testkit.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Source;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A source whose polls the test writes: lanes go, and come back, when it says so. */
final class ScriptedSource implements Source {

  final List<String> acknowledged = new CopyOnWriteArrayList<>();
  private final List<Delivered> deliveries = new CopyOnWriteArrayList<>();
  private final Runnable onClose;
  private final LinkedBlockingQueue<Function<Ownership, List<Arrival>>> script =
      new LinkedBlockingQueue<>();

  /** What one poll returns, as soon as so much of these lanes is wanted. */
  private record Delivered(List<Arrival> arrivals) {
    boolean isWanted(Demand demand) {
      return arrivals.size() <= demand.most()
          && arrivals.stream().noneMatch(it -> demand.full().contains(it.lane()));
    }
  }

  ScriptedSource() {
    this(() -> {});
  }

  ScriptedSource(Runnable onClose) {
    this.onClose = onClose;
  }

  /** Has a poll return these: each {@code lane number body}. */
  ScriptedSource deliver(String... arrivals) {
    deliveries.add(new Delivered(List.of(arrivals).stream().map(ScriptedSource::arrival).toList()));
    return this;
  }

  private static Arrival arrival(String text) {
    String[] parts = text.split(" ", 3);
    byte[] body = parts[2].getBytes(UTF_8);
    return new Arrival(
        parts[0],
        Long.parseLong(parts[1]),
        new Delivery(parts[0], parts[1], null, null, null, Map.of(), body));
  }

  /** Has a poll tell that this lane is lost; returns what is open when it has. */
  CountDownLatch lose(String lane) {
    CountDownLatch told = new CountDownLatch(1);
    script.add(
        ownership -> {
          ownership.lost(Set.of(lane));
          told.countDown();
          return List.of();
        });
    return told;
  }

  /** Has a poll tell that this lane is revoked; returns what is open when that has been done. */
  CountDownLatch revoke(String lane) {
    CountDownLatch told = new CountDownLatch(1);
    script.add(
        ownership -> {
          ownership.revoked(Set.of(lane));
          told.countDown();
          return List.of();
        });
    return told;
  }

  @Override
  public List<Arrival> poll(Demand demand, Ownership ownership) {
    try {
      for (Delivered delivered : List.copyOf(deliveries)) {
        if (delivered.isWanted(demand) && deliveries.remove(delivered)) {
          return delivered.arrivals();
        }
      }
      Function<Ownership, List<Arrival>> next =
          script.poll(Math.min(demand.maxWait().toMillis(), 5), TimeUnit.MILLISECONDS);
      return next == null ? List.of() : next.apply(ownership);
    } catch (InterruptedException e) {
      return List.of();
    }
  }

  @Override
  public void acknowledge(List<Arrival> finished) {
    finished.forEach(it -> acknowledged.add(it.lane() + " " + it.number()));
  }

  @Override
  public void wakeUp() {
    // a poll waits for a few milliseconds at the most
  }

  @Override
  public String description() {
    return "what the test has written";
  }

  @Override
  public void close() {
    onClose.run();
  }
}
