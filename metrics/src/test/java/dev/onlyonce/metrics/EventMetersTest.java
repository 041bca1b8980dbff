package dev.onlyonce.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.spi.Event;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the meters to the kinds of events that there are. */
class EventMetersTest {

  @Test
  void every_kind_of_event_moves_a_meter() {
    assertThat(Stream.of(Event.class.getPermittedSubclasses()))
        .as("kinds of events without a line in EventMeters")
        .isNotEmpty()
        .allMatch(EventMeters::knows);
  }
}
