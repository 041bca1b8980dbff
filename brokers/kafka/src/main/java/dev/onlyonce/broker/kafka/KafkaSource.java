package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.PositionStore;
import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries from Kafka, as a member of a consumer group.
 *
 * <pre>{@code
 * Source orders = KafkaSource.with(consumerProperties).topics("orders").open();
 * }</pre>
 *
 * <p>A lane is a partition of one topic for as long as this consumer has it, and is named after
 * both: {@code orders-3@} and the topic's id, since a topic that is made anew under its old name
 * counts from zero again. The number of an arrival is its offset, the ordering key of a delivery
 * the text of its record key.
 *
 * <p><b>Guarantee.</b> What is committed for a partition is the offset of the first record that is
 * not acknowledged, and is never smaller than what this consumer committed before. It is committed
 * beside the polling, and with an answer before a partition is handed over and at the end; it
 * includes the position at which a partition was begun, so that what is produced meanwhile is not
 * skipped after a crash where {@code auto.offset.reset} is {@code latest}. Partitions that the
 * group has given to others are lost: nothing of them is committed.
 *
 * <p><b>Polling.</b> What is not wanted is paused, and polling goes on: a handler may take longer
 * than {@code max.poll.interval.ms}. What was fetched and is not wanted waits here: for each
 * partition, at most what two polls of the client return ({@code max.poll.records}).
 *
 * <p><b>A topic that is made anew</b> under its old name is noticed at the latest after {@code
 * metadata.max.age.ms}, and read from its beginning; what was read of it until then comes again.
 *
 * <p><b>Thread-safety.</b> That of a {@link Source}.
 *
 * <p><b>Failure.</b> {@link SourceException}: FINAL if the client is not let in, a topic that was
 * named is not there (also when it is deleted later), or there is no offset to read on from;
 * PASSING if no broker can be reached.
 */
public final class KafkaSource implements Source {
  private static final System.Logger LOG = System.getLogger(KafkaSource.class.getName());
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  private final Consumer<byte[], byte[]> consumer;
  private final Topics topics;
  private final Failures failures;
  private final Commits commits;
  private final @Nullable StartPositions start;
  private final String description;
  private final Map<TopicPartition, Lane> lanes = new LinkedHashMap<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private @Nullable Metric connections;
  private boolean wasConnected;
  private @Nullable Ownership ownership;

  private KafkaSource(Builder builder, Consumer<byte[], byte[]> consumer, Admin admin) {
    ConsumerSettings settings = builder.settings;
    String group = settings.group();
    this.consumer = consumer;
    failures = new Failures("group " + group + " at " + settings.servers(), group);
    topics =
        new Topics(admin, builder.names, settings.maxAge(), Time.system(), failures, this::wakeUp);
    start = builder.start;
    commits = new Commits(consumer, start == null && builder.commits);
    settings.findings().forEach(it -> LOG.log(Level.WARNING, it.sentence()));
    Pattern pattern = builder.pattern;
    if (pattern == null) {
      consumer.subscribe(builder.names, new Rebalances());
    } else {
      consumer.subscribe(pattern, new Rebalances());
    }
    description =
        "Kafka topics %s as group %s at %s, with %s"
            .formatted(
                pattern == null ? builder.names : pattern, group, settings.servers(), settings);
  }

  /**
   * Starts with the settings of a Kafka consumer; needed are {@code bootstrap.servers} and {@code
   * group.id}. The deserializers are set here. Defaults that are not Kafka's:
   *
   * <ul>
   *   <li>{@code auto.offset.reset}: {@code earliest}; with Kafka's {@code latest}, what was
   *       produced before a group's first commit, or while its offsets had expired, is never
   *       delivered
   *   <li>{@code isolation.level}: {@code read_committed}; else records of transactions that were
   *       aborted are handled
   *   <li>{@code allow.auto.create.topics}: {@code false}; a topic whose name is misspelt is
   *       missing, not empty
   * </ul>
   *
   * @throws IllegalArgumentException if {@code group.id} is missing, {@code enable.auto.commit} is
   *     true, or there are deserializers other than {@code ByteArrayDeserializer}
   */
  public static Builder with(Map<?, ?> consumerSettings) {
    return new Builder(ConsumerSettings.of(consumerSettings));
  }

  @Override
  public List<Arrival> poll(Demand demand, Ownership told) {
    ownership = told;
    List<Arrival> arrivals = new ArrayList<>();
    try {
      topics.step();
      nameLanes();
      beginLanes();
      commits.send(lanes.values());
      int ready = ready(demand);
      steer(demand, ready);
      receive(ready == 0 ? demand.maxWait() : Duration.ZERO);
      topics.step();
    } catch (KafkaException e) {
      throw failures.of(e);
    } finally {
      woken.set(false);
    }
    nameLanes();
    handOut(demand, arrivals);
    if (arrivals.isEmpty()) {
      requireConnection();
    }
    return arrivals;
  }

  private void nameLanes() {
    for (Lane lane : List.copyOf(lanes.values())) {
      Uuid id = topics.id(lane.partition().topic());
      if (id != null) {
        (lane.isOfAnother(id) ? fromTheBeginning(lane) : lane).topicId(id);
      }
    }
  }

  /** Has lanes read from the positions that are kept elsewhere. */
  private void beginLanes() {
    if (start == null) {
      return;
    }
    Map<String, Lane> named = new HashMap<>();
    for (Lane lane : lanes.values()) {
      String name = lane.name();
      if (name != null && !lane.isBegun()) {
        named.put(name, lane);
      }
    }
    if (!named.isEmpty()) {
      Map<String, PositionStore.Position> kept = keptPositions(start, named.keySet());
      named.forEach(
          (name, lane) -> {
            PositionStore.Position position = kept.get(name);
            if (position != null) {
              consumer.seek(lane.partition(), position.next());
            }
            lane.begin();
          });
    }
  }

  private Map<String, PositionStore.Position> keptPositions(
      StartPositions from, Set<String> names) {
    try {
      return from.load(Set.copyOf(names));
    } catch (StoreException e) {
      throw failures.withoutPositions(e);
    }
  }

  /** The topic was made anew, and where the old one was read on is no place in it. */
  private Lane fromTheBeginning(Lane lane) {
    TopicPartition partition = lane.partition();
    tell(List.of(partition), Ownership::lost);
    consumer.seekToBeginning(List.of(partition));
    Lane next = new Lane(partition);
    lanes.put(partition, next);
    return next;
  }

  private int ready(Demand demand) {
    return lanes.values().stream()
        .filter(lane -> !lane.isOneOf(demand.full()))
        .mapToInt(Lane::ready)
        .sum();
  }

  /** Pauses what is not to be fetched: all of it if there is enough, else what is full. */
  private void steer(Demand demand, int ready) {
    Set<TopicPartition> unwanted = new HashSet<>();
    for (Lane lane : lanes.values()) {
      boolean isHeld = start != null && !lane.isBegun();
      if (isHeld || ready >= demand.most() || lane.hasWaiting() || lane.isOneOf(demand.full())) {
        unwanted.add(lane.partition());
      }
    }
    unwanted.retainAll(consumer.assignment());
    Set<TopicPartition> wanted = new HashSet<>(consumer.paused());
    wanted.removeAll(unwanted);
    unwanted.removeAll(consumer.paused());
    consumer.pause(unwanted);
    consumer.resume(wanted);
  }

  private void receive(Duration wait) {
    ConsumerRecords<byte[], byte[]> records = fetch(wait);
    for (TopicPartition partition : records.partitions()) {
      Lane lane = lanes.get(partition);
      if (lane != null) {
        List<ConsumerRecord<byte[], byte[]>> read = records.records(partition);
        (lane.isBehind(read) ? begunAnew(lane) : lane).read(read);
      }
    }
    records
        .nextOffsets()
        .forEach(
            (partition, position) -> {
              Lane lane = lanes.get(partition);
              if (lane != null) {
                lane.readsOnAt(position);
              }
            });
    lanes.values().forEach(this::place);
  }

  private ConsumerRecords<byte[], byte[]> fetch(Duration wait) {
    try {
      return consumer.poll(wait);
    } catch (WakeupException e) {
      // It may not have come to polling at all, and somebody may wake it up every time.
      woken.set(true);
      return consumer.poll(Duration.ZERO);
    }
  }

  /** The log counts from the beginning again: its topic is another one, or has lost its end. */
  private Lane begunAnew(Lane lane) {
    TopicPartition partition = lane.partition();
    tell(List.of(partition), Ownership::lost);
    topics.changed(Set.of(partition.topic()));
    Lane next = new Lane(partition, lane.topicId());
    lanes.put(partition, next);
    return next;
  }

  /** Finds out where a lane begins, if it is known here without waiting. */
  private void place(Lane lane) {
    if (!lane.isPlaced()) {
      try {
        long position = consumer.position(lane.partition(), Duration.ZERO);
        lane.readsOnAt(new OffsetAndMetadata(position));
      } catch (TimeoutException | WakeupException e) {
        return; // the next poll tries again
      }
    }
  }

  /** Each poll begins with another lane, so that none waits behind a busy one for ever. */
  private void handOut(Demand demand, List<Arrival> arrivals) {
    for (Lane lane : List.copyOf(lanes.values())) {
      if (arrivals.size() < demand.most() && lane.ready() > 0 && !lane.isOneOf(demand.full())) {
        lane.handOut(arrivals, demand.most());
        lanes.remove(lane.partition());
        lanes.put(lane.partition(), lane);
      }
    }
  }

  private void requireConnection() {
    boolean isConnected = connections() > 0;
    if (wasConnected && !isConnected) {
      throw failures.away();
    }
    wasConnected = isConnected;
  }

  /** How many connections the consumer has; the only thing that tells that it has none. */
  private double connections() {
    if (connections == null) {
      consumer.metrics().values().stream()
          .filter(it -> it.metricName().name().equals("connection-count"))
          .filter(it -> it.metricName().group().equals("consumer-metrics"))
          .forEach(it -> connections = it);
    }
    return connections == null ? 0 : ((Number) connections.metricValue()).doubleValue();
  }

  @Override
  public void acknowledge(List<Arrival> finished) {
    Map<String, Lane> byName = new HashMap<>();
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
    if (!woken.getAndSet(true)) {
      consumer.wakeup();
    }
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public void close() {
    woken.set(true); // nobody wakes it up any more
    try {
      commits.sendNow(lanes.values());
      lanes.clear();
      consumer.close(CloseOptions.timeout(CLOSE_LIMIT));
    } catch (KafkaException e) {
      LOG.log(Level.WARNING, description + " was left without a word to the broker", e);
    }
    topics.close();
  }

  /** What is not committed, for whoever commits it. */
  Map<TopicPartition, OffsetAndMetadata> uncommitted() {
    return Commits.byPartition(Commits.positions(lanes.values()));
  }

  /** That was committed. */
  void committed() {
    Commits.positions(lanes.values())
        .forEach((lane, position) -> lane.committed(position.offset()));
  }

  ConsumerGroupMetadata groupMetadata() {
    return consumer.groupMetadata();
  }

  /** Has these delivered again, and all behind them in their lanes, as far as they are owned. */
  void rewind(List<Arrival> arrivals) {
    Map<String, Long> firsts = new HashMap<>();
    arrivals.forEach(it -> firsts.merge(it.lane(), it.number(), Math::min));
    for (Lane lane : List.copyOf(lanes.values())) {
      Long first = lane.name() == null ? null : firsts.get(lane.name());
      if (first != null) {
        consumer.seek(lane.partition(), first);
        lanes.put(lane.partition(), lane.again());
      }
    }
  }

  /** Whether the topic of this place is the one that is read here; null while that is asked. */
  @Nullable Boolean isCurrent(RecordPlace place) {
    String topic = place.partition().topic();
    Uuid id = topics.id(topic);
    if (id == null && topics.isAsking(topic)) {
      return null;
    }
    return place.topicId().equals(id);
  }

  /** Whether the group has passed this place; null if the broker does not say. */
  @Nullable Boolean isCommitted(RecordPlace place) {
    try {
      OffsetAndMetadata committed =
          consumer.committed(Set.of(place.partition()), ANSWER_LIMIT).get(place.partition());
      return committed != null && committed.offset() > place.offset();
    } catch (TimeoutException | WakeupException e) {
      return null;
    } catch (KafkaException e) {
      throw failures.of(e);
    }
  }

  private void tell(Collection<TopicPartition> partitions, Telling what) {
    Set<String> names = new TreeSet<>();
    for (TopicPartition partition : partitions) {
      Lane lane = lanes.get(partition);
      String name = lane == null ? null : lane.name();
      if (name != null) {
        names.add(name);
      }
    }
    if (ownership != null && !names.isEmpty()) {
      what.tell(ownership, names);
    }
  }

  private interface Telling {
    void tell(Ownership ownership, Set<String> lanes);
  }

  /** Where lanes begin. */
  @FunctionalInterface
  public interface StartPositions {

    /**
     * Returns the positions of these lanes, by their names, as far as there are any. Called while
     * polling, each time when lanes were given to this consumer.
     *
     * @throws StoreException if they cannot be read: nothing of the lanes is delivered, and the
     *     poll fails, as PASSING if the store is unavailable
     */
    Map<String, PositionStore.Position> load(Set<String> lanes);
  }

  /** Called by the consumer while it polls; also while it is closed, when there are no lanes. */
  private final class Rebalances implements ConsumerRebalanceListener {

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      Set<String> names = new TreeSet<>();
      for (TopicPartition partition : partitions) {
        lanes.put(partition, new Lane(partition));
        names.add(partition.topic());
      }
      topics.changed(names);
      if (start != null) {
        consumer.pause(partitions); // until it is known where they begin
      }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      tell(partitions, Ownership::revoked);
      boolean wasWoken =
          commits.sendNow(
              lanes.values().stream().filter(it -> partitions.contains(it.partition())).toList());
      lanes.keySet().removeAll(partitions);
      if (wasWoken) {
        consumer.wakeup();
      }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      tell(partitions, Ownership::lost);
      lanes.keySet().removeAll(partitions);
    }
  }

  /** Settings of a source; topics are needed. Not safe for use by several threads. */
  public static final class Builder {
    private final ConsumerSettings settings;
    private Set<String> names = Set.of();
    private @Nullable Pattern pattern;
    private @Nullable StartPositions start;
    private boolean commits = true;

    private Builder(ConsumerSettings settings) {
      this.settings = settings;
    }

    /** Reads these topics, which must be there. */
    public Builder topics(String... topics) {
      names = new TreeSet<>(List.of(topics));
      pattern = null;
      return this;
    }

    /** Reads the topics with these names, also those that are made later. */
    public Builder topics(Pattern topicNames) {
      names = Set.of();
      pattern = topicNames;
      return this;
    }

    /**
     * Reads each lane from the position that is kept elsewhere, beside claims and effects, and
     * commits nothing to Kafka: whoever handles the deliveries saves, in the same transaction, a
     * {@link PositionStore.Position} with epoch 0 and the first number that is not finished, under
     * the lane's name. A lane without a position is read from where the group has committed, else
     * as {@code auto.offset.reset} says.
     */
    public Builder startAt(StartPositions positions) {
      start = Objects.requireNonNull(positions, "positions must not be null");
      return this;
    }

    /** Leaves committing to whoever has the source. */
    Builder withoutCommits() {
      commits = false;
      return this;
    }

    /**
     * Makes the source. Brokers are not waited for.
     *
     * @throws IllegalStateException if there are no topics
     * @throws KafkaException if a setting has a value that Kafka does not know
     */
    public KafkaSource open() {
      if (names.isEmpty() && pattern == null) {
        throw new IllegalStateException("topics must be set: names of topics, or a pattern");
      }
      Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings.forConsumer());
      try {
        return new KafkaSource(this, consumer, Admin.create(settings.forAdmin()));
      } catch (KafkaException e) {
        consumer.close();
        throw e;
      }
    }
  }
}
