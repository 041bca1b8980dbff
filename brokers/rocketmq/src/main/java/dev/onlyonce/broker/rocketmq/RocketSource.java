package dev.onlyonce.broker.rocketmq;

import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.SourceException.Kind;
import dev.onlyonce.spi.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;

/**
 * Deliveries from RocketMQ, as a member of a consumer group that pulls (a lite pull consumer).
 *
 * <pre>{@code
 * DefaultLitePullConsumer consumer = new DefaultLitePullConsumer("billing");
 * consumer.setNamesrvAddr("rocketmq-1:9876");
 * Source orders = RocketSource.with(consumer).topic("orders", "*").open();
 * }</pre>
 *
 * <p>A lane is a queue: {@code orders-broker-a-3}, of topic, broker and number. The number of an
 * arrival is its offset in the queue, the record key of a delivery its message's keys, the ordering
 * key its sharding key.
 *
 * <p><b>Guarantee.</b> What is committed for a queue is the offset of the first message that is not
 * acknowledged: with each poll, without waiting for an answer, and with one when the source is
 * closed. The client's automatic commits are off.
 *
 * <p><b>Rebalancing.</b> RocketMQ asks nobody before it gives a queue to another consumer, and says
 * so afterwards: a queue is lost, never revoked, and what is under way there is delivered to the
 * other one as well.
 *
 * <p><b>Where it begins.</b> A group that has committed nothing begins at the first message of a
 * queue, not at the client's own default, the last one, with which what is sent before the group's
 * first commit is never delivered.
 *
 * <p><b>Polling.</b> What was received and is not wanted waits here, at most 1,000 messages of a
 * queue and one pull, beside what the client keeps itself.
 *
 * <p><b>Thread-safety.</b> That of a {@link Source}.
 *
 * <p><b>Failure.</b> {@link SourceException}: FINAL if the client cannot be started as it is set,
 * or a topic is not there when it begins; PASSING if name server or broker do not answer.
 */
public final class RocketSource implements Source {
  private static final System.Logger LOG = System.getLogger(RocketSource.class.getName());
  private static final int MOST_WAITING = 1_000;

  /** The client's own queue cannot be waited for and woken; an arrival waits for this at most. */
  private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(5).toNanos();

  private final DefaultLitePullConsumer consumer;
  private final Map<String, String> topics;
  private final String description;
  private final Time time = Time.system();
  private final Assignments assignments = new Assignments();
  private final Map<MessageQueue, Lane> lanes = new LinkedHashMap<>();

  /** Queues of which something was received before it was known that they are ours. */
  private final Set<MessageQueue> skipped = new HashSet<>();

  private final Semaphore wakes = new Semaphore(0);
  private final Set<String> unseenTopics;
  private boolean isStarted;
  private boolean hasWarned;

  private RocketSource(DefaultLitePullConsumer consumer, Map<String, String> topics) {
    this.consumer = consumer;
    this.topics = topics;
    unseenTopics = new TreeSet<>(topics.keySet());
    description =
        "RocketMQ topics %s as group %s at %s"
            .formatted(names(topics), consumer.getConsumerGroup(), consumer.getNamesrvAddr());
  }

  private static String names(Map<String, String> topics) {
    return new TreeMap<>(topics)
        .entrySet().stream()
            .map(it -> it.getKey() + (it.getValue().equals("*") ? "" : " (" + it.getValue() + ")"))
            .collect(Collectors.joining(", "));
  }

  /**
   * Starts with a consumer that has its group and its name server, and is not started. It is the
   * source's from {@link Builder#open()} on, which sets automatic commits off and where to begin.
   *
   * @throws IllegalArgumentException if it is to broadcast: the offsets of such a consumer are in a
   *     file of its own machine
   */
  public static Builder with(DefaultLitePullConsumer consumer) {
    if (consumer.getMessageModel() != MessageModel.CLUSTERING) {
      throw new IllegalArgumentException(
          "message model must be CLUSTERING, was " + consumer.getMessageModel());
    }
    return new Builder(consumer);
  }

  @Override
  public List<Arrival> poll(Demand demand, Ownership told) {
    begin();
    takeOver(told);
    placeLanes();
    commit();
    steer();
    long endNanos = time.nanoTime() + demand.maxWait().toNanos();
    receive(demand, told);
    while (ready(demand) == 0 && endNanos - time.nanoTime() > 0 && !isWoken(endNanos)) {
      receive(demand, told);
    }
    return handOut(demand);
  }

  /** Starts the client with the first poll, which may wait. */
  private void begin() {
    if (!isStarted) {
      try {
        consumer.start();
      } catch (MQClientException e) {
        throw new SourceException(
            Kind.FINAL,
            "%s: the client cannot start (%s)".formatted(description, Failures.words(e)),
            e);
      }
      isStarted = true;
    }
    for (String topic : List.copyOf(unseenTopics)) {
      try {
        consumer.fetchMessageQueues(topic);
        subscribe(topic);
      } catch (MQClientException e) {
        throw Failures.of(description, topic, e);
      }
      unseenTopics.remove(topic);
    }
  }

  /**
   * Subscribes to a topic that can be looked up: a client that subscribes before it is started does
   * not start without a name server, and cannot be started again. The second time tells the broker,
   * which the first one finds, that we are there; the client would wait for half a minute.
   */
  private void subscribe(String topic) throws MQClientException {
    consumer.subscribe(topic, topics.get(topic), assignments);
    consumer.subscribe(topic, topics.get(topic), assignments);
  }

  /** Gives up lanes and begins with others, as the client has done before. */
  private Set<Lane> takeOver(Ownership told) {
    Set<Lane> begun = new HashSet<>();
    assignments.forEachNew(
        assignment -> {
          Set<Lane> lost = new HashSet<>();
          for (Lane lane : lanes.values()) {
            if (lane.queue().getTopic().equals(assignment.topic())
                && !assignment.queues().contains(lane.queue())) {
              lost.add(lane);
            }
          }
          lose(lost, told);
          for (MessageQueue queue : assignment.queues()) {
            if (!lanes.containsKey(queue)) {
              Lane lane = new Lane(queue, skipped.remove(queue));
              lanes.put(queue, lane);
              begun.add(lane);
            }
          }
        });
    warnOfFewThreads();
    return begun;
  }

  private void lose(Set<Lane> lost, Ownership told) {
    if (!lost.isEmpty()) {
      Set<String> names = new TreeSet<>();
      lost.forEach(lane -> names.add(lane.name()));
      told.lost(names);
      lanes.values().removeAll(lost);
    }
  }

  private void warnOfFewThreads() {
    if (!hasWarned && lanes.size() > consumer.getPullThreadNums()) {
      hasWarned = true;
      LOG.log(
          Level.WARNING,
          "{0}: {1} queues share {2} threads, and each pull keeps one waiting for new messages: set"
              + " pullThreadNums to the number of queues",
          description,
          lanes.size(),
          consumer.getPullThreadNums());
    }
  }

  /** Has the client read on where the group has committed, if it may have read something else. */
  private void placeLanes() {
    for (Lane lane : lanes.values()) {
      if (lane.isUnplaced()) {
        try {
          long committed = consumer.committed(lane.queue());
          if (committed < 0) {
            consumer.seekToBegin(lane.queue());
          } else {
            seek(lane.queue(), committed);
          }
          lane.placed();
        } catch (MQClientException e) {
          throw passing("where to read on cannot be looked up", e);
        }
      }
    }
  }

  /** A position that the queue does not have any more, or not yet, gives way to its beginning. */
  private void seek(MessageQueue queue, long position) throws MQClientException {
    try {
      consumer.seek(queue, position);
    } catch (MQClientException e) {
      LOG.log(
          Level.WARNING,
          "{0}: the group''s position {1} of {2} cannot be read from, so it is read from its first"
              + " message that is there: {3}",
          description,
          position,
          queue,
          e.getMessage());
      consumer.seekToBegin(queue);
    }
  }

  private void commit() {
    Map<MessageQueue, Long> positions = positions();
    if (!positions.isEmpty()) {
      send(positions, true);
    }
  }

  private Map<MessageQueue, Long> positions() {
    Map<MessageQueue, Long> positions = new LinkedHashMap<>();
    Set<MessageQueue> owned = owned();
    for (Lane lane : lanes.values()) {
      if (lane.toCommit() >= 0 && owned.contains(lane.queue())) {
        positions.put(lane.queue(), lane.toCommit());
      }
    }
    return positions;
  }

  private Set<MessageQueue> owned() {
    try {
      return consumer.assignment();
    } catch (MQClientException e) {
      throw passing("its queues are not known", e);
    }
  }

  private void send(Map<MessageQueue, Long> positions, boolean isOneWay) {
    consumer.commit(positions, false); // the client sends these again, every five seconds
    try {
      for (Map.Entry<MessageQueue, Long> position : positions.entrySet()) {
        consumer
            .getOffsetStore()
            .updateConsumeOffsetToBroker(position.getKey(), position.getValue(), isOneWay);
        Objects.requireNonNull(lanes.get(position.getKey())).committed(position.getValue());
      }
    } catch (MQClientException | MQBrokerException | RemotingException e) {
      throw passing("offsets cannot be committed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private SourceException passing(String what, Exception failure) {
    return new SourceException(
        Kind.PASSING,
        "%s: %s, which may pass (%s)".formatted(description, what, Failures.words(failure)),
        failure);
  }

  /** Pauses what has enough waiting here. A pause ends up to a second late. */
  private void steer() {
    for (Lane lane : lanes.values()) {
      boolean isEnough = lane.ready() >= (lane.isPaused() ? MOST_WAITING / 2 : MOST_WAITING);
      if (isEnough && !lane.isPaused()) {
        consumer.pause(List.of(lane.queue()));
      } else if (!isEnough && lane.isPaused()) {
        consumer.resume(List.of(lane.queue()));
      }
      lane.paused(isEnough);
    }
  }

  private void receive(Demand demand, Ownership told) {
    while (ready(demand) < demand.most()) {
      takeOver(told);
      List<MessageExt> messages = consumer.poll(0);
      if (messages.isEmpty()) {
        return;
      }
      Set<Lane> begun = takeOver(told);
      messages.forEach(message -> receive(message, begun, told));
    }
  }

  /**
   * Takes a message, unless it is not known whether it was received for the lane or for an earlier
   * one of the same queue: after the lane's own beginning there must be no gap.
   */
  private void receive(MessageExt message, Set<Lane> begun, Ownership told) {
    MessageQueue queue =
        new MessageQueue(message.getTopic(), message.getBrokerName(), message.getQueueId());
    Lane lane = lanes.get(queue);
    if (lane == null) {
      skipped.add(queue);
    } else if (begun.contains(lane)) {
      begun.remove(lane);
      lanes.put(queue, new Lane(queue, true));
    } else if (!lane.isUnplaced()) {
      if (lane.isBehind(message)) {
        lose(Set.of(lane), told);
        lane = new Lane(queue, false);
        lanes.put(queue, lane);
      }
      lane.received(message);
    }
  }

  private int ready(Demand demand) {
    return lanes.values().stream()
        .filter(lane -> !demand.full().contains(lane.name()))
        .mapToInt(Lane::ready)
        .sum();
  }

  /** Waits for a moment; tells whether somebody wants the poll to end. */
  private boolean isWoken(long endNanos) {
    try {
      long wait = Math.min(LOOK_AGAIN_NANOS, endNanos - time.nanoTime());
      boolean isWoken = wakes.tryAcquire(wait, TimeUnit.NANOSECONDS);
      wakes.drainPermits();
      return isWoken;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Each poll begins with another lane, so that none waits behind a busy one for ever. */
  private List<Arrival> handOut(Demand demand) {
    List<Arrival> arrivals = new ArrayList<>();
    for (Lane lane : List.copyOf(lanes.values())) {
      if (arrivals.size() < demand.most()
          && lane.ready() > 0
          && !demand.full().contains(lane.name())) {
        lane.handOut(arrivals, demand.most());
        lanes.remove(lane.queue());
        lanes.put(lane.queue(), lane);
      }
    }
    return arrivals;
  }

  @Override
  public void acknowledge(List<Arrival> finished) {
    Map<String, Lane> byName = new LinkedHashMap<>();
    lanes.values().forEach(lane -> byName.put(lane.name(), lane));
    for (Arrival arrival : finished) {
      Lane lane = byName.get(arrival.lane());
      if (lane != null) {
        lane.finished(arrival.number());
      }
    }
  }

  @Override
  public void wakeUp() {
    if (wakes.availablePermits() == 0) {
      wakes.release();
    }
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public void close() {
    if (isStarted) {
      try {
        send(positions(), false);
      } catch (SourceException e) {
        LOG.log(Level.WARNING, description + " was left without a word to the broker", e);
      }
    }
    lanes.clear();
    consumer.shutdown();
  }

  /** Settings of a source; topics are needed. Not safe for use by several threads. */
  public static final class Builder {
    private final DefaultLitePullConsumer consumer;
    private final Map<String, String> topics = new TreeMap<>();

    private Builder(DefaultLitePullConsumer consumer) {
      this.consumer = consumer;
    }

    /**
     * Reads a topic, which must be there.
     *
     * @param tags which of its messages: {@code *} for all, {@code paid || shipped} for some; the
     *     same for all consumers of the group
     * @throws IllegalArgumentException if no tag is named
     */
    public Builder topic(String name, String tags) {
      if (tags.replace("|", "").isBlank()) {
        throw new IllegalArgumentException(
            "tags must be * or names with || between them, was \"" + tags + '"');
      }
      topics.put(name, tags);
      return this;
    }

    /**
     * Makes the source. Name servers and brokers are not waited for.
     *
     * @throws IllegalStateException if there are no topics
     */
    public RocketSource open() {
      if (topics.isEmpty()) {
        throw new IllegalStateException("topics must be set: the name of one at least");
      }
      consumer.setAutoCommit(false);
      consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
      return new RocketSource(consumer, Map.copyOf(topics));
    }
  }
}
