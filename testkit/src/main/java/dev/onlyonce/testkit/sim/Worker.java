package dev.onlyonce.testkit.sim;

import dev.onlyonce.Key;
import java.util.ArrayList;
import java.util.List;

/** A process that handles messages. It may vanish or stand still between any two things it does. */
final class Worker {

  private static final int CAPACITY = 2;

  private final World world;
  private final String name;
  private final List<Course> courses = new ArrayList<>();
  private int life;
  private long stalledUntilMicros;

  Worker(World world, String name) {
    this.world = world;
    this.name = name;
  }

  boolean hasRoom() {
    return courses.size() < CAPACITY && world.schedule().nowMicros() >= stalledUntilMicros;
  }

  void begin(Course course) {
    courses.add(course);
    course.begin();
  }

  void ended(Course course) {
    courses.remove(course);
  }

  /** Does something later, unless the process has vanished by then. */
  void after(long micros, Runnable action) {
    int born = life;
    world.schedule().after(micros, () -> resume(born, action));
  }

  private void resume(int born, Runnable action) {
    if (born != life) {
      return;
    }
    long stalled = stalledUntilMicros - world.schedule().nowMicros();
    if (stalled > 0) {
      world.schedule().after(stalled + world.dice().upTo(1_000), () -> resume(born, action));
    } else {
      action.run();
    }
  }

  /** All that it was doing is gone; the broker notices and delivers again. */
  void crash() {
    world.say("%s CRASHES", name);
    world.tally().crashes++;
    life++;
    stalledUntilMicros = 0;
    List<Course> gone = List.copyOf(courses);
    courses.clear();
    gone.forEach(course -> world.broker().deliverAgain(course.message()));
  }

  void stall(long micros) {
    world.say("%s STALLS for %d ms", name, micros / 1_000);
    world.tally().stalls++;
    stalledUntilMicros = world.schedule().nowMicros() + micros;
  }

  /** Tells whether an attempt with such a token, at the latest, may still do something here. */
  boolean mayStillSend(Key key, long token) {
    return courses.stream().anyMatch(course -> course.mayStillSend(key, token));
  }

  @Override
  public String toString() {
    return name;
  }
}
