package dev.onlyonce.internal;

import dev.onlyonce.spi.Event;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Passes events on to listeners, none of which can do harm. Safe for use by several threads. */
public final class Events {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.events");

  private final List<Event.Listener> listeners;
  private final AtomicLong missed = new AtomicLong();

  /** Passes events on to these listeners, in this order. */
  public Events(List<Event.Listener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  /** Tells whether anybody listens, so that an event is worth making. */
  boolean on() {
    return !listeners.isEmpty();
  }

  /** Says what was thrown, also if that cannot say it itself. */
  public static String text(Throwable thrown) {
    String name = thrown.getClass().getName();
    try {
      String message = thrown.getMessage();
      return message == null ? name : name + ": " + message;
    } catch (Throwable e) {
      return name;
    }
  }

  /**
   * Passes an event on. What a listener throws is logged the first time, the second, the fourth and
   * so on, since one that throws may do so at every message.
   */
  public void publish(Event event) {
    for (Event.Listener listener : listeners) {
      try {
        listener.on(event);
      } catch (Throwable e) {
        long count = missed.incrementAndGet();
        if (Long.bitCount(count) == 1) {
          String what = "a listener threw %s at %s and has missed it; events missed so far: %d";
          LOG.log(Level.WARNING, what.formatted(text(e), event.getClass().getSimpleName(), count));
        }
      }
    }
  }
}
