package dev.onlyonce.store.local.internal;

import dev.onlyonce.Claim;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimMachine.Decision;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.KeyHash.Hash;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers claims, settlements and renewals, and writes what they change into the open frame. Not
 * safe for use by several threads at once.
 */
final class Decider {

  private final Frames frames;
  private final LocalView view;
  private final ClaimMachine machine;
  private final StoreClock clock;

  Decider(Frames frames, LocalView view, ClaimMachine machine, StoreClock clock) {
    this.frames = frames;
    this.view = view;
    this.machine = machine;
    this.clock = clock;
  }

  /**
   * Answers each item, in the order of the batch.
   *
   * @param afterEach what to do when an item is answered
   */
  List<Object> decide(List<?> items, Runnable afterEach) {
    Hash[] hashes = hashes(items);
    List<Object> answers = new ArrayList<>(hashes.length);
    for (int i = 0; i < hashes.length; i++) {
      answers.add(decide(items.get(i), hashes[i]));
      afterEach.run();
    }
    return answers;
  }

  /** Hashes the keys of a batch, and looks them all up, so that the memory is waited for once. */
  private Hash[] hashes(List<?> items) {
    Hash[] hashes = new Hash[items.size()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = hash(items.get(i));
    }
    view.index.touch(hashes);
    return hashes;
  }

  private Hash hash(Object item) {
    if (item instanceof ClaimRequest request) {
      return view.index.hash(request.scope(), request.key());
    }
    return hash(item instanceof Settlement settled ? settled.claim() : ((Renewal) item).claim());
  }

  private Hash hash(Claim claim) {
    return view.index.hash(claim.scope(), claim.key());
  }

  private Object decide(Object item, Hash hash) {
    long micros = clock.micros();
    try {
      if (item instanceof ClaimRequest request) {
        return claim(request, hash, micros);
      }
      Decision<Held> decision =
          item instanceof Settlement settlement
              ? machine.settle(found(hash), settlement, micros)
              : machine.renew(found(hash), (Renewal) item, micros);
      write(hash, decision.write());
      return decision.answer();
    } catch (IOException e) {
      throw frames.unreadable(e);
    }
  }

  private Answer claim(ClaimRequest request, Hash hash, long micros) throws IOException {
    Index index = view.index;
    Index.Place place = index.find(hash);
    if (place.isFound() && request.expectToken() == ClaimRequest.ANY) {
      boolean mayBeRepeated = request.settleNow() != null;
      long millis = Math.floorDiv(micros, 1_000);
      long age = index.plainAge(place, mayBeRepeated, request.requestId(), millis);
      if (age >= 0) {
        return new Answer.Done(index.plainResult(place), Duration.ofMillis(age), false);
      }
    }
    ClaimRecord found = place.isFound() ? index.record(place) : null;
    Decision<Answer> decision = machine.claim(found, request, micros, view.log.floor());
    write(hash, decision.write());
    return decision.answer();
  }

  private @Nullable ClaimRecord found(Hash hash) throws IOException {
    Index.Place place = view.index.find(hash);
    return place.isFound() ? view.index.record(place) : null;
  }

  private void write(Hash hash, @Nullable ClaimRecord record) {
    if (record != null) {
      view.log(hash, record);
    }
  }

  /** Tells whether a claim is held. */
  boolean holds(Claim claim) {
    try {
      ClaimRecord found = found(hash(claim));
      return found != null && found.state() == ClaimState.CLAIMED && found.token() == claim.token();
    } catch (IOException e) {
      throw frames.unreadable(e);
    }
  }
}
