package dev.onlyonce;

import dev.onlyonce.internal.LogWriter;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Time;
import java.time.Duration;

/**
 * Writes what happens in engines to the log, one line of {@code name=value} pairs for each event: a
 * listener for {@link OnlyOnceBuilder#listener}, also of several engines.
 *
 * <pre>
 *   event=in_doubt scope=billing key_digest=4ff26206a177662b token=1767225600000001 attempt=1
 *   event=left_out scope=billing of=in_doubt count=4711
 *   event=slow_handlers scope=billing lease=PT30S over_half_of_it=12 of=640 slowest=PT17S
 * </pre>
 *
 * <p><b>Levels.</b> WARNING: what somebody should look at, such as keys in doubt and zombies that
 * were refused. INFO: what is tried again by itself. DEBUG: duplicates and others that are turned
 * away. TRACE: every message. What the log does not take at its level is not put together.
 *
 * <p><b>Bounds.</b> Of each kind and scope at most so many lines are written in an interval. How
 * many were left out is said with the first event after it, whatever that is, or by {@link
 * #close()}.
 *
 * <p><b>What may be personal.</b> Keys are shown by the beginning of their SHA-256, failures by
 * their class, unless {@link Builder#showData()} says otherwise. Such a digest hides a key from
 * whoever does not know it, not from whoever can try all there are. Values are quoted where they
 * need it: none can end a line.
 *
 * <p><b>Slow handlers</b> are warned of when more than one in a hundred of a scope took longer than
 * half their lease, so that their 99th percentile is above it: among those of an interval, or of
 * several until they are a hundred.
 *
 * <p><b>Thread-safety.</b> Any number of threads.
 */
public final class EventLog implements Event.Listener, AutoCloseable {

  private final LogWriter writer;

  private EventLog(Builder builder) {
    this.writer =
        new LogWriter(
            builder.logger, builder.showsData, builder.lines, builder.interval, builder.time);
  }

  /** Makes a log with the defaults. */
  public static EventLog create() {
    return builder().build();
  }

  /** Starts a log with other settings. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public void on(Event event) {
    writer.write(event);
  }

  /** Says what was left out so far. The log may be used on. */
  @Override
  public void close() {
    writer.sum();
  }

  /**
   * Settings of a log. Defaults:
   *
   * <ul>
   *   <li>logger: the one named {@code dev.onlyonce.EventLog}
   *   <li>keys and what failures say: not shown
   *   <li>at most: 10 lines a minute, for each kind of event and scope
   *   <li>time: the clocks of this machine
   * </ul>
   *
   * <p>Not safe for use by several threads.
   */
  public static final class Builder {

    private System.Logger logger = System.getLogger(EventLog.class.getName());
    private boolean showsData;
    private int lines = 10;
    private Duration interval = Duration.ofMinutes(1);
    private Time time = Time.system();

    private Builder() {}

    /** Sets where the lines go. */
    public Builder logger(System.Logger replacement) {
      this.logger = replacement;
      return this;
    }

    /** Shows keys, and what failures and refusals say, as they are. */
    public Builder showData() {
      this.showsData = true;
      return this;
    }

    /** Sets how many lines of each kind and scope are written in each interval, from 1. */
    public Builder atMost(int most, Duration in) {
      this.lines = Limits.requirePositive("lines", most);
      this.interval = Limits.requirePositive("interval", in);
      return this;
    }

    /** Sets the clocks, for tests. */
    public Builder time(Time replacement) {
      this.time = replacement;
      return this;
    }

    /** Makes the log. */
    public EventLog build() {
      return new EventLog(this);
    }
  }
}
