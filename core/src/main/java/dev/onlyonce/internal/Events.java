package dev.onlyonce.internal;

import dev.onlyonce.spi.Event;
import java.lang.System.Logger.Level;
import java.util.List;

/** Passes events on to listeners, none of which can do harm. Safe for use by several threads. */
public final class Events {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.events");

  private final List<Event.Listener> listeners;

  /** Passes events on to these listeners, in this order. */
  public Events(List<Event.Listener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  /** Tells whether anybody listens, so that an event is worth making. */
  boolean on() {
    return !listeners.isEmpty();
  }

  /** Passes an event on; what a listener throws is logged. */
  public void publish(Event event) {
    for (Event.Listener listener : listeners) {
      try {
        listener.on(event);
      } catch (Throwable e) {
        LOG.log(Level.WARNING, "a listener threw at " + event + "; it has missed the event", e);
      }
    }
  }
}
