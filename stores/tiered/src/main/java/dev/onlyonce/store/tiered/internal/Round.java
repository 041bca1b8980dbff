package dev.onlyonce.store.tiered.internal;

import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.RecordId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One batch of claims on its way through the tiers: near cache, then what others have under way,
 * then the copies of the fast store, then the authority. Not safe for use by several threads.
 *
 * <p>A key that is under way in another call of this process is not asked for at once: that call is
 * waited for, after this call's own keys have their answers, so that no two calls wait for each
 * other. Where its answer is not for others, the authority is asked. A key with a request that
 * expects a token goes to the authority with all its requests.
 */
final class Round {

  private final TieredEngine engine;
  private final List<ClaimRequest> batch;
  private final RecordId[] ids;
  private final long beganNanos;
  private final @Nullable Answer[] answers;

  /** The flights that this call has begun, by key. */
  private final Map<RecordId, Own> mine = new HashMap<>();

  /** The flights of others that this call waits for, by key, and the places that do. */
  private final Map<RecordId, Flight> others = new HashMap<>();

  private final List<Integer> waiting = new ArrayList<>();

  /** A flight and the place of its request. */
  private record Own(Flight flight, int place) {}

  Round(TieredEngine engine, List<ClaimRequest> batch) {
    this.engine = engine;
    this.batch = batch;
    this.beganNanos = engine.time().nanoTime();
    this.ids = new RecordId[batch.size()];
    this.answers = new Answer[batch.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = new RecordId(batch.get(i).scope(), batch.get(i).key());
      engine.count(ids[i]);
    }
  }

  List<Answer> run() {
    Set<RecordId> special = special();
    if (special.isEmpty()) {
      engine.above().askNear(batch, ids, answers);
    }
    try {
      askTogether(special);
    } finally {
      land(); // after an Error, too: nobody may wait for ever
    }
    waitForOthers();
    return List.of(answers);
  }

  private Set<RecordId> special() {
    Set<RecordId> special = new HashSet<>();
    for (int i = 0; i < ids.length; i++) {
      if (batch.get(i).expectToken() != ClaimRequest.ANY) {
        special.add(ids[i]);
        engine.flying().remove(ids[i]);
      }
    }
    return special;
  }

  private void askTogether(Set<RecordId> special) {
    List<Integer> plain = new ArrayList<>();
    List<Integer> asked = new ArrayList<>();
    for (int i = 0; i < ids.length; i++) {
      if (answers[i] == null && (special.contains(ids[i]) || !isUnderWay(i))) {
        asked.add(i);
        if (!special.contains(ids[i])) {
          plain.add(i);
        }
      }
    }
    long now = engine.time().nanoTime();
    mine.values().forEach(it -> it.flight.depart(now));
    engine.above().askFast(batch, ids, answers, plain);
    asked.removeIf(it -> answers[it] != null);
    askAuthority(asked);
    special.forEach(engine.flying()::remove);
  }

  /** Joins the flight of another call for this place's key, or begins one. */
  private boolean isUnderWay(int place) {
    RecordId id = ids[place];
    if (mine.containsKey(id)) {
      return false;
    }
    Flight other = others.get(id);
    if (other == null) {
      Flight flight = new Flight(batch.get(place));
      other = engine.flying().putIfAbsent(id, flight);
      if (other == null) {
        mine.put(id, new Own(flight, place));
        return false;
      }
      others.put(id, other);
    }
    waiting.add(place);
    return true;
  }

  private void askAuthority(List<Integer> places) {
    if (places.isEmpty()) {
      return;
    }
    List<ClaimRequest> requests = new ArrayList<>(places.size());
    List<RecordId> keys = new ArrayList<>(places.size());
    for (Integer place : places) {
      requests.add(batch.get(place));
      keys.add(ids[place]);
    }
    List<Answer> given = engine.askAuthority(requests, keys);
    for (int i = 0; i < given.size(); i++) {
      answers[places.get(i)] = given.get(i);
    }
  }

  /** Tells whoever waits for this call's keys, once nobody can begin to wait for them. */
  private void land() {
    mine.forEach((id, own) -> engine.flying().remove(id, own.flight));
    mine.values().forEach(it -> it.flight.land(answers[it.place]));
  }

  private void waitForOthers() {
    if (waiting.isEmpty()) {
      return;
    }
    List<Integer> left = new ArrayList<>();
    for (Integer place : waiting) {
      Flight other = others.get(ids[place]);
      Answer answer =
          other == null ? null : other.answerTo(batch.get(place), beganNanos, engine.time());
      answers[place] = answer;
      if (answer == null) {
        left.add(place);
      }
    }
    engine.countJoined(waiting.size() - (long) left.size());
    askAuthority(left);
  }
}
