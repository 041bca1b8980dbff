package dev.onlyonce.broker.kafka;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.Publisher.Message;
import dev.onlyonce.spi.Source;
import dev.onlyonce.spi.Source.Arrival;
import dev.onlyonce.spi.Source.Demand;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads from Kafka, processes, and writes to Kafka, with the offsets that were read in the same
 * transaction as what was written.
 *
 * <pre>{@code
 * try (KafkaTransactions billing =
 *     KafkaTransactions.with(consumerProperties, producerProperties)
 *         .topics("orders")
 *         .claims(store, Scope.of("billing"), KafkaKeys.header("payment-id"))
 *         .open()) {
 *   while (running) {
 *     billing.runOnce(order -> List.of(invoiceOf(order)));
 *   }
 * }
 * }</pre>
 *
 * <p><b>Guarantee.</b> For consumers that read with {@code isolation.level=read_committed}, the
 * messages that a record leads to are there once, whatever dies, for each record that Kafka has.
 * With claims they are there once for each key, too, for all its copies within the retention: a
 * claim keeps where its record is, in the transaction's own order, so that after a crash the next
 * holder asks Kafka whether the transaction was committed, and neither runs it twice nor leaves it
 * out. The processor itself may run more than once: its effects elsewhere are not in the
 * transaction.
 *
 * <p>That holds as long as one consumer group uses the scope, its offsets are not set by hand, and
 * the topics read are not made anew: a claim that was left behind in an older topic is run again,
 * with a warning.
 *
 * <p><b>Zombies.</b> A process that was taken for dead and goes on cannot commit: the group has
 * given its partitions to others, or one with the same {@code transactional.id} has been started.
 *
 * <p><b>Thread-safety.</b> One thread. <b>Failure.</b> See {@link #runOnce}.
 */
public final class KafkaTransactions implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(KafkaTransactions.class.getName());
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final int COMMIT_ATTEMPTS = 3;

  private final KafkaSource source;
  private final Producer<byte[], byte[]> producer;
  private final @Nullable TransactionClaims claims;
  private final int most;
  private final Duration wait;
  private final Processor unkeyed;
  private boolean isBroken;

  private KafkaTransactions(
      Builder builder, KafkaSource source, Producer<byte[], byte[]> producer) {
    this.source = source;
    this.producer = producer;
    Builder.Claiming claiming = builder.claiming;
    claims =
        claiming == null
            ? null
            : new TransactionClaims(
                source, claiming.store, claiming.scope, claiming.keys, builder.unkeyed != null);
    unkeyed = builder.unkeyed == null ? delivery -> List.of() : builder.unkeyed;
    most = builder.most;
    wait = builder.wait;
  }

  /** What becomes of a record. */
  @FunctionalInterface
  public interface Processor {

    /**
     * Returns the messages that it leads to, which may be none. A record that cannot be processed
     * leads to a message to a dead-letter topic: what is thrown keeps the record, and all behind it
     * in its partition, from being passed.
     */
    List<Message> process(Delivery delivery) throws Exception;
  }

  /**
   * Starts with the settings of a consumer, see {@link KafkaSource#with}, and of a producer. Needed
   * are {@code bootstrap.servers} in both, {@code group.id}, and a {@code transactional.id}, which
   * stays the same for an instance of the application whenever it is started, and which no other
   * instance has.
   *
   * @throws IllegalArgumentException if one is missing, or a setting contradicts what is promised:
   *     {@code isolation.level} must not be {@code read_uncommitted}
   */
  public static Builder with(Map<?, ?> consumerSettings, Map<?, ?> producerSettings) {
    return new Builder(consumerSettings, producerSettings);
  }

  /**
   * Reads some records and writes what they lead to, in one transaction. To be called again at
   * once, and, together with its processing, within {@code max.poll.interval.ms} and {@code
   * transaction.timeout.ms}.
   *
   * @return how many records were passed: processed or found to be copies; 0 if there are none now,
   *     their partitions are being given to others, or their keys are held by somebody
   * @throws dev.onlyonce.spi.SourceException if Kafka cannot be read
   * @throws dev.onlyonce.spi.StoreException if the claims cannot be made; nothing was written
   * @throws IllegalStateException if a record has no key, a producer with the same {@code
   *     transactional.id} has fenced this one, or it had failed before in a way that only a new one
   *     mends
   * @throws KafkaException if Kafka cannot be written to; nothing was written
   * @throws Exception what the processor has thrown; nothing was written, and its record is read
   *     again
   */
  public int runOnce(Processor processor) throws Exception {
    if (isBroken) {
      throw new IllegalStateException(
          "the transactions have ended: close them, and open others under this transactional.id");
    }
    Set<String> held = claims == null ? Set.of() : claims.held();
    List<Arrival> arrivals = source.poll(new Demand(most, wait, held), new Changes());
    if (arrivals.isEmpty()) {
      return 0;
    }
    Round round;
    try {
      round = claims == null ? Round.of(arrivals) : claims.begin(arrivals);
    } catch (RuntimeException e) {
      source.rewind(arrivals);
      throw e;
    }
    return round.passed().isEmpty() ? nothing(round) : transact(round, processor);
  }

  /** Every record has to wait. */
  private int nothing(Round round) {
    release(round);
    source.rewind(round.waiting());
    return 0;
  }

  private int transact(Round round, Processor processor) throws Exception {
    try {
      producer.beginTransaction();
      write(round, processor);
      source.acknowledge(round.passed());
      Map<TopicPartition, OffsetAndMetadata> offsets = source.uncommitted();
      producer.sendOffsetsToTransaction(offsets, source.groupMetadata());
      if (claims != null && !claims.confirm(round)) {
        throw new RebalanceInProgressException("a key has been taken over by another process");
      }
      commit();
    } catch (Exception e) {
      return ended(round, e);
    }
    source.committed();
    if (claims != null) {
      claims.complete(round);
    }
    source.rewind(round.waiting());
    return round.passed().size();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a message that is not taken fails the commit
  private void write(Round round, Processor processor) throws Exception {
    for (Arrival arrival : round.process()) {
      Processor with = round.unkeyed().contains(arrival) ? unkeyed : processor;
      for (Message message : with.process(arrival.delivery())) {
        int partitions = producer.partitionsFor(message.destination()).size();
        producer.send(Records.of(message, partitions));
      }
    }
  }

  /** Commits; asks again when there is no answer, by which nothing is done twice. */
  private void commit() {
    for (int attempt = 1; ; attempt++) {
      try {
        producer.commitTransaction();
        return;
      } catch (TimeoutException e) {
        if (attempt == COMMIT_ATTEMPTS) {
          isBroken = true;
          throw e;
        }
      }
    }
  }

  /**
   * The transaction was not committed, or nobody knows; its records are read again, unless their
   * partitions have been given to others.
   */
  private int ended(Round round, Exception failure) throws Exception {
    if (isBroken) {
      throw failure; // the next one under this id finds out; its claims are left to their leases
    }
    try {
      producer.abortTransaction();
    } catch (KafkaException | IllegalStateException e) {
      isBroken = true;
      failure.addSuppressed(e);
    }
    release(round);
    List<Arrival> all = new ArrayList<>(round.passed());
    all.addAll(round.waiting());
    source.rewind(all);
    if (failure instanceof CommitFailedException
        || failure instanceof RebalanceInProgressException) {
      LOG.log(Level.DEBUG, "a transaction was aborted, its records are read again", failure);
      return 0;
    }
    throw failure;
  }

  private void release(Round round) {
    if (claims != null) {
      claims.release(round);
    }
  }

  @Override
  public void close() {
    source.close();
    try {
      producer.close(CLOSE_LIMIT);
    } catch (KafkaException e) {
      LOG.log(Level.WARNING, "the producer was not closed in good order", e);
    }
  }

  /** Lanes change hands between transactions only: nothing is under way then. */
  private static final class Changes implements Source.Ownership {
    @Override
    public void revoked(Set<String> lanes) {
      // what was read of them is behind us
    }

    @Override
    public void lost(Set<String> lanes) {
      // likewise
    }
  }

  /**
   * Settings of transactions; topics are needed. Defaults:
   *
   * <ul>
   *   <li>claims: none, records are processed once each, and so are copies of a message
   *   <li>records in a transaction: 500
   *   <li>wait for records: 1 second
   * </ul>
   *
   * <p>Not safe for use by several threads.
   */
  public static final class Builder {
    private final KafkaSource.Builder source;
    private final Map<String, Object> producerSettings;
    private @Nullable Claiming claiming;
    private @Nullable Processor unkeyed;
    private int most = Limits.BATCH;
    private Duration wait = Duration.ofSeconds(1);

    /** How claims are made. */
    private record Claiming(ClaimStore store, Scope scope, KeyExtractor keys) {}

    private Builder(Map<?, ?> consumerSettings, Map<?, ?> producerSettings) {
      Settings.refuseUncommitted(consumerSettings);
      source = KafkaSource.with(consumerSettings).withoutCommits();
      this.producerSettings = ProducerSettings.transactional(producerSettings);
    }

    /** Reads these topics, which must be there. */
    public Builder topics(String... topics) {
      source.topics(topics);
      return this;
    }

    /**
     * Processes one record for each key.
     *
     * @param store stays the caller's to close
     * @param scope of this consumer group, and of no other
     */
    public Builder claims(ClaimStore store, Scope scope, KeyExtractor keys) {
      claiming =
          new Claiming(
              Objects.requireNonNull(store, "store must not be null"),
              Objects.requireNonNull(scope, "scope must not be null"),
              Objects.requireNonNull(keys, "keys must not be null"));
      return this;
    }

    /** Sets what records without a key lead to, such as a message to a dead-letter topic. */
    public Builder unkeyed(Processor processor) {
      unkeyed = Objects.requireNonNull(processor, "processor must not be null");
      return this;
    }

    /** Sets how many records are processed in one transaction at the most. */
    public Builder batch(int records) {
      most = Limits.requirePositive("batch", records);
      return this;
    }

    /** Sets how long to wait for records. */
    public Builder maxWait(Duration duration) {
      wait = Limits.requireNotNegative("max wait", duration);
      return this;
    }

    /**
     * Opens them: aborts what a predecessor under this {@code transactional.id} has left open, and
     * fences it.
     *
     * @throws IllegalStateException if there are no topics
     * @throws KafkaException if the brokers do not answer or do not allow it
     */
    public KafkaTransactions open() {
      KafkaSource opened = source.open();
      try {
        Producer<byte[], byte[]> producer = new KafkaProducer<>(producerSettings);
        try {
          producer.initTransactions();
          return new KafkaTransactions(this, opened, producer);
        } catch (KafkaException e) {
          producer.close(Duration.ZERO);
          throw e;
        }
      } catch (KafkaException e) {
        opened.close();
        throw e;
      }
    }
  }
}
