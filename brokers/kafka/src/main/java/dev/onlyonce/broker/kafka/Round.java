package dev.onlyonce.broker.kafka;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.Source.Arrival;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What becomes of the records that one poll brought.
 *
 * @param process those whose messages are written
 * @param unkeyed those of them that have no key
 * @param passed those whose offsets are committed: processed, or copies
 * @param waiting those that are read again later, with all behind them in their lanes
 * @param claims what is held, each with the record that it is held for
 * @param before what is held of keys that turned out to be done
 * @param unused what was claimed for records that have to wait
 */
record Round(
    List<Arrival> process,
    List<Arrival> unkeyed,
    List<Arrival> passed,
    List<Arrival> waiting,
    Map<Claim, Arrival> claims,
    List<Claim> before,
    List<Claim> unused) {

  Round() {
    this(
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new LinkedHashMap<>(),
        new ArrayList<>(),
        new ArrayList<>());
  }

  /** A round without claims: everything is processed. */
  static Round of(List<Arrival> arrivals) {
    Round round = new Round();
    round.process.addAll(arrivals);
    round.passed.addAll(arrivals);
    return round;
  }

  Set<String> waitingLanes() {
    Set<String> lanes = new LinkedHashSet<>();
    waiting.forEach(it -> lanes.add(it.lane()));
    return lanes;
  }
}
