package dev.onlyonce.testkit.sim;

import dev.onlyonce.Key;
import java.util.ArrayList;
import java.util.List;

/** Delivers every message until it is acknowledged, sometimes to two workers at once. */
final class Broker {

  /** A message; a copy of it is another message with the same key. */
  static final class Message {
    private final int number;
    private final Key key;
    private boolean acknowledged;

    private Message(int number, Key key) {
      this.number = number;
      this.key = key;
    }

    Key key() {
      return key;
    }

    @Override
    public String toString() {
      return "m" + number + "/" + key;
    }
  }

  private final World world;
  private final List<Message> messages = new ArrayList<>();

  Broker(World world) {
    this.world = world;
  }

  void send(Key key) {
    Message message = new Message(messages.size(), key);
    messages.add(message);
    world.tally().messages++;
    deliver(message);
  }

  /** Delivers a message again soon, unless it is acknowledged by then. */
  void deliverAgain(Message message) {
    deliverAfter(message, world.dice().between(10_000, 500_000));
  }

  void deliverAfter(Message message, long micros) {
    world.schedule().after(micros, () -> deliver(message));
  }

  private void deliver(Message message) {
    if (message.acknowledged) {
      return;
    }
    List<Worker> free = world.workers().stream().filter(Worker::hasRoom).toList();
    if (free.isEmpty()) {
      deliverAfter(message, 20_000);
      return;
    }
    Dice dice = world.dice();
    world.tally().deliveries++;
    Worker worker = free.get(dice.upTo(free.size() - 1));
    worker.begin(new Course(world, worker, message));
    if (dice.happens(dice.deliveredTwice)) {
      deliverAfter(message, dice.between(1_000, 2 * World.LEASE_MICROS));
    }
  }

  void acknowledge(Message message) {
    if (world.dice().happens(world.dice().ackLost)) {
      world.say("acknowledgement of %s gets lost", message);
      deliverAgain(message);
    } else {
      message.acknowledged = true;
    }
  }

  boolean isEmpty() {
    return messages.stream().allMatch(message -> message.acknowledged);
  }
}
