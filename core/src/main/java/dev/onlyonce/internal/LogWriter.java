package dev.onlyonce.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes events to a log, of each kind and scope only so many lines an interval. Intervals end at
 * the first event behind their end, so that no thread is needed. Safe for use by several threads.
 */
public final class LogWriter {

  /** How many kinds times scopes are told apart; what comes after them shares a count. */
  private static final int MOST_COUNTS = 10_000;

  /** How many scopes have their handlers judged. */
  private static final int MOST_SCOPES = 1_000;

  private static final String OTHERS = "(other)";

  private record Counted(LogKind<?> kind, String scope) {}

  private final System.Logger logger;
  private final boolean showsData;
  private final int mostLines;
  private final long intervalNanos;
  private final Time time;
  private final AtomicLong intervalEndNanos;
  private final Map<Counted, AtomicLong> counts = new ConcurrentHashMap<>();
  private final Map<Scope, SlowHandlers> handlers = new ConcurrentHashMap<>();

  /** Makes a writer whose first interval begins now. */
  public LogWriter(
      System.Logger logger, boolean showsData, int mostLines, Duration interval, Time time) {
    this.logger = logger;
    this.showsData = showsData;
    this.mostLines = mostLines;
    this.intervalNanos = Nanos.of(interval);
    this.time = time;
    this.intervalEndNanos = new AtomicLong(time.nanoTime() + intervalNanos);
  }

  /** Writes an event, or counts it as left out. */
  public void write(Event event) {
    endInterval();
    if (event instanceof Event.Completed completed && !completed.lease().isZero()) {
      judgeLater(completed);
    }
    LogKind<?> kind = LogKind.of(event.getClass());
    if (kind == null || !logger.isLoggable(kind.level())) {
      return;
    }
    if (countOf(new Counted(kind, event.scope().name())).incrementAndGet() <= mostLines) {
      LogLine line = new LogLine(kind.name(), event.scope().name(), showsData);
      kind.say(line, event);
      logger.log(kind.level(), line.toString());
    }
  }

  private AtomicLong countOf(Counted counted) {
    AtomicLong known = counts.get(counted);
    if (known != null) {
      return known;
    }
    Counted shared = counts.size() < MOST_COUNTS ? counted : new Counted(counted.kind(), OTHERS);
    return counts.computeIfAbsent(shared, it -> new AtomicLong());
  }

  private void judgeLater(Event.Completed completed) {
    SlowHandlers judged = handlers.get(completed.scope());
    if (judged == null && handlers.size() < MOST_SCOPES) {
      judged = handlers.computeIfAbsent(completed.scope(), it -> new SlowHandlers());
    }
    if (judged != null) {
      judged.add(completed.handling(), completed.lease());
    }
  }

  private void endInterval() {
    long now = time.nanoTime();
    long end = intervalEndNanos.get();
    if (now - end >= 0 && intervalEndNanos.compareAndSet(end, now + intervalNanos)) {
      sum();
    }
  }

  /** Says what was left out, and which handlers are slow, since that was last said. */
  public void sum() {
    counts.forEach(
        (counted, count) -> {
          long leftOut = count.getAndSet(0) - mostLines;
          if (leftOut > 0) {
            LogLine line = new LogLine("left_out", counted.scope(), showsData);
            line.with("of", counted.kind().name()).with("count", leftOut);
            logger.log(counted.kind().level(), line.toString());
          }
        });
    handlers.forEach(
        (scope, judged) -> {
          LogLine line = new LogLine("slow_handlers", scope.name(), showsData);
          if (judged.judge(line)) {
            logger.log(Level.WARNING, line.toString());
          }
        });
  }
}
