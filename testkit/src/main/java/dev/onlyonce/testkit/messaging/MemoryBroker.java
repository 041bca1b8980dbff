package dev.onlyonce.testkit.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher;
import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.SourceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A broker in memory with one topic and one group of consumers, for tests. It does what partitioned
 * brokers do, with all that makes duplicates: a lane that changes hands is delivered again from its
 * first delivery that was not acknowledged on, with those behind it that were.
 *
 * <p>Lanes are shared out evenly. A lane moves when its owner has been told so in a poll, or at
 * once when the owner is {@linkplain #expel expelled}.
 *
 * <p>Any number of threads.
 */
public final class MemoryBroker {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private final Map<String, List<Publisher.Message>> published = new HashMap<>();
  private int refusals;
  private @Nullable SourceException pollFailure;

  /** Makes a broker whose topic has so many lanes. */
  public MemoryBroker(int lanes) {
    for (int i = 0; i < lanes; i++) {
      this.lanes.add(new Lane("lane-" + i));
    }
  }

  private static final class Lane {
    private final String name;
    private final List<Delivery> log = new ArrayList<>();
    private final Set<Long> acknowledged = new HashSet<>();
    private @Nullable Member owner;
    private int next;

    Lane(String name) {
      this.name = name;
    }

    void rewind() {
      next = 0;
      while (next < log.size() && acknowledged.contains((long) next)) {
        next++;
      }
    }
  }

  /**
   * Sends a message; returns its lane.
   *
   * @param orderingKey decides which lane; null for the first one
   */
  public String send(@Nullable String orderingKey, String body) {
    return send(orderingKey, body, Map.of());
  }

  /** Sends a message with headers; returns its lane. */
  public String send(@Nullable String orderingKey, String body, Map<String, List<byte[]>> headers) {
    lock.lock();
    try {
      int index = orderingKey == null ? 0 : Math.floorMod(orderingKey.hashCode(), lanes.size());
      Lane lane = lanes.get(index);
      byte[] recordKey = orderingKey == null ? null : orderingKey.getBytes(UTF_8);
      lane.log.add(
          new Delivery(
              lane.name,
              Integer.toString(lane.log.size()),
              recordKey,
              orderingKey,
              null,
              headers,
              body.getBytes(UTF_8)));
      changed.signalAll();
      return lane.name;
    } finally {
      lock.unlock();
    }
  }

  /** Has a new consumer join the group. */
  public Source join() {
    lock.lock();
    try {
      Member member = new Member();
      members.add(member);
      changed.signalAll();
      return member;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes all lanes from a consumer at once, as from one that is taken for dead; it does not get
   * any again.
   */
  public void expel(Source consumer) {
    lock.lock();
    try {
      members.remove(consumer);
      for (Lane lane : lanes) {
        if (lane.owner == consumer) {
          lane.owner = null;
          ((Member) consumer).lost.add(lane.name);
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses the next messages that are published, so many of them. */
  public void refuse(int messages) {
    lock.lock();
    try {
      refusals = messages;
    } finally {
      lock.unlock();
    }
  }

  /** Has each poll fail from now on; null has them work again. */
  public void failPolls(@Nullable SourceException failure) {
    lock.lock();
    try {
      pollFailure = failure;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns a publisher, whose destinations are {@link #published read} here. */
  public Publisher publisher() {
    return new Publisher() {
      @Override
      public List<Receipt> publish(List<Message> batch) {
        return batch.stream().map(MemoryBroker.this::publish).toList();
      }

      @Override
      public void close() {
        // nothing is held
      }
    };
  }

  private Publisher.Receipt publish(Publisher.Message message) {
    lock.lock();
    try {
      if (refusals > 0) {
        refusals--;
        return new Publisher.Refused("as the test wants it");
      }
      published.computeIfAbsent(message.destination(), it -> new ArrayList<>()).add(message);
      return new Publisher.Confirmed();
    } finally {
      lock.unlock();
    }
  }

  /** Returns what was published to a destination. */
  public List<Publisher.Message> published(String destination) {
    lock.lock();
    try {
      return List.copyOf(published.getOrDefault(destination, List.of()));
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether everything that was sent is acknowledged. */
  public boolean isEmpty() {
    return unacknowledged() == 0;
  }

  /** Returns how many of the messages that were sent are not acknowledged. */
  public int unacknowledged() {
    lock.lock();
    try {
      return lanes.stream().mapToInt(it -> it.log.size() - it.acknowledged.size()).sum();
    } finally {
      lock.unlock();
    }
  }

  /** One consumer of the group. */
  private final class Member implements Source {

    private final Set<String> lost = new HashSet<>();
    private boolean isWoken;

    @Override
    public List<Arrival> poll(Demand demand, Ownership ownership) {
      tellLost(ownership);
      tellRevoked(ownership);
      lock.lock();
      try {
        failIfTold();
        long nanos = demand.maxWait().toNanos();
        List<Arrival> arrivals = take(demand);
        while (arrivals.isEmpty() && nanos > 0 && !isWoken) {
          nanos = changed.awaitNanos(Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(5)));
          if (!lost.isEmpty() || !surplus().isEmpty()) {
            return List.of();
          }
          failIfTold();
          arrivals = take(demand);
        }
        isWoken = false;
        return arrivals;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return List.of();
      } finally {
        lock.unlock();
      }
    }

    private void failIfTold() {
      if (pollFailure != null) {
        throw new SourceException(
            pollFailure.kind(), Objects.requireNonNull(pollFailure.getMessage()), null);
      }
    }

    private void tellLost(Ownership ownership) {
      Set<String> gone;
      lock.lock();
      try {
        gone = new HashSet<>(lost);
        lost.clear();
      } finally {
        lock.unlock();
      }
      if (!gone.isEmpty()) {
        ownership.lost(gone);
      }
    }

    private void tellRevoked(Ownership ownership) {
      Set<String> surplus;
      lock.lock();
      try {
        surplus = surplus();
      } finally {
        lock.unlock();
      }
      if (!surplus.isEmpty()) {
        ownership.revoked(surplus);
        giveUp(surplus);
      }
    }

    /** Returns the lanes that are more than its share. */
    private Set<String> surplus() {
      int share = share();
      Set<String> surplus = new HashSet<>();
      int owned = 0;
      for (Lane lane : lanes) {
        if (lane.owner == this && ++owned > share) {
          surplus.add(lane.name);
        }
      }
      return surplus;
    }

    private int share() {
      return members.contains(this) ? (lanes.size() + members.size() - 1) / members.size() : 0;
    }

    private List<Arrival> take(Demand demand) {
      int share = share();
      long owned = lanes.stream().filter(it -> it.owner == this).count();
      List<Arrival> arrivals = new ArrayList<>();
      for (Lane lane : lanes) {
        if (lane.owner == null && owned < share) {
          lane.owner = this;
          lane.rewind();
          owned++;
        }
        if (lane.owner == this && !demand.full().contains(lane.name)) {
          while (lane.next < lane.log.size() && arrivals.size() < demand.most()) {
            arrivals.add(new Arrival(lane.name, lane.next, lane.log.get(lane.next)));
            lane.next++;
          }
        }
      }
      return arrivals;
    }

    @Override
    public void acknowledge(List<Arrival> finished) {
      lock.lock();
      try {
        for (Arrival arrival : finished) {
          for (Lane lane : lanes) {
            if (lane.owner == this && lane.name.equals(arrival.lane())) {
              lane.acknowledged.add(arrival.number());
            }
          }
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void wakeUp() {
      lock.lock();
      try {
        isWoken = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public String description() {
      return "a broker in memory with " + lanes.size() + " lanes";
    }

    private void giveUp(Set<String> names) {
      lock.lock();
      try {
        for (Lane lane : lanes) {
          if (lane.owner == this && names.contains(lane.name)) {
            lane.owner = null;
          }
        }
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        members.remove(this);
        lanes.stream().filter(it -> it.owner == this).forEach(it -> it.owner = null);
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
