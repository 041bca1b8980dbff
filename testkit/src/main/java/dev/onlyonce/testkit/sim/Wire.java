package dev.onlyonce.testkit.sim;

import dev.onlyonce.spi.StoreException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The way between the workers and the store: requests that do not arrive or arrive late, answers
 * that get lost, and times in which there is no way at all.
 */
final class Wire {

  private static final long TIME_OUT_MICROS = 300_000;

  private final World world;
  private boolean down;

  Wire(World world) {
    this.world = world;
  }

  void breakDown(long micros) {
    down = true;
    world.say("the store is away for %d ms", micros / 1_000);
    world.schedule().after(micros, this::repair);
  }

  private void repair() {
    down = false;
    world.say("the store is back");
  }

  /** Sends a request; the worker hears of its answer, or of its failure, if it lives so long. */
  <A> void send(
      Worker worker, Supplier<A> request, Consumer<A> answered, Consumer<StoreException> failed) {
    Dice dice = world.dice();
    long there = latency();
    if (down || dice.happens(dice.storeRefuses)) {
      fail(worker, there, "the store was not reached", failed);
    } else if (dice.happens(dice.storeAnswerLost)) {
      world.schedule().after(there, () -> forNobody(request));
      fail(worker, TIME_OUT_MICROS, "the answer got lost", failed);
    } else if (dice.happens(dice.storeLate)) {
      long late = dice.between(TIME_OUT_MICROS, 5 * World.LEASE_MICROS);
      world.schedule().after(late, () -> forNobody(request));
      fail(worker, TIME_OUT_MICROS, "the request is late", failed);
    } else {
      world.schedule().after(there, () -> forWorker(worker, request, answered, failed));
    }
  }

  private void forNobody(Supplier<?> request) {
    try {
      Object unheard = request.get();
      world.say("nobody hears: %s", unheard);
    } catch (StoreException e) {
      world.say("nobody hears: %s", e);
    }
  }

  private <A> void forWorker(
      Worker worker, Supplier<A> request, Consumer<A> answered, Consumer<StoreException> failed) {
    try {
      A answer = request.get();
      worker.after(latency(), () -> answered.accept(answer));
    } catch (StoreException e) {
      world.tally().storeFaults++;
      worker.after(latency(), () -> failed.accept(e));
    }
  }

  private void fail(Worker worker, long micros, String why, Consumer<StoreException> failed) {
    world.tally().storeFaults++;
    StoreException failure = new StoreException(StoreException.Kind.UNAVAILABLE, why);
    worker.after(micros, () -> failed.accept(failure));
  }

  private long latency() {
    Dice dice = world.dice();
    return dice.happens(dice.slow)
        ? dice.between(20_000, 2 * World.LEASE_MICROS)
        : dice.between(200, 5_000);
  }
}
