package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.Publisher;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;

/**
 * Sends messages to Kafka with an idempotent producer, and tells of each whether all in-sync
 * replicas have it.
 *
 * <p>The destination of a message is a topic. Its id is sent as the header {@link KafkaHeaders#ID}.
 * A message without a record key gets its ordering key as one, so that what must stay in order is
 * in one partition. A message that has neither goes to a partition that its id decides. So copies
 * of a message meet in one partition, as long as the topic's number of partitions stays.
 *
 * <p><b>Guarantee.</b> That of a {@link Publisher}. What the client sends again by itself is
 * written once and in order; for that there is one request under way to a broker, unless {@code
 * max.in.flight.requests.per.connection} is set: with more of them, a broker that is just becoming
 * the leader of a partition may refuse the first and take the second, and then never takes the
 * first. What the caller sends again is another record with the same id.
 *
 * <p><b>Thread-safety.</b> Any number of threads, which share one producer.
 *
 * <p><b>Failure.</b> Refused: too large, a topic that is not there, no permission. Unknown: no
 * answer within {@code delivery.timeout.ms}, or no broker within {@code max.block.ms} (10 seconds
 * unless it is set). A message behind a refused one of the same ordering key may have been taken.
 */
public final class KafkaPublisher implements Publisher {
  private static final System.Logger LOG = System.getLogger(KafkaPublisher.class.getName());
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final Producer<byte[], byte[]> producer;

  private KafkaPublisher(Producer<byte[], byte[]> producer) {
    this.producer = producer;
  }

  /**
   * Opens a publisher with the settings of a Kafka producer; needed is {@code bootstrap.servers}.
   * The serializers are set here, and so are {@code enable.idempotence=true} and {@code acks=all}.
   *
   * @throws IllegalArgumentException if a setting contradicts that, or there is a {@code
   *     transactional.id}
   * @throws KafkaException if a setting has a value that Kafka does not know
   */
  public static KafkaPublisher open(Map<?, ?> producerSettings) {
    return new KafkaPublisher(new KafkaProducer<>(ProducerSettings.of(producerSettings)));
  }

  @Override
  public List<Receipt> publish(List<Message> batch) {
    Map<String, Destination> destinations = new HashMap<>();
    List<CompletableFuture<Receipt>> receipts = new ArrayList<>(batch.size());
    for (Message message : batch) {
      Destination destination =
          destinations.computeIfAbsent(
              message.destination(), topic -> Destination.find(topic, producer));
      receipts.add(
          destination.refusal() == null
              ? send(message, destination.partitions())
              : CompletableFuture.completedFuture(destination.refusal()));
    }
    return receipts.stream().map(KafkaPublisher::await).toList();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the callback is told the same
  private CompletableFuture<Receipt> send(Message message, int partitions) {
    CompletableFuture<Receipt> receipt = new CompletableFuture<>();
    try {
      producer.send(
          Records.of(message, partitions),
          (metadata, failure) ->
              receipt.complete(
                  failure == null ? new Confirmed() : Receipts.of(message.destination(), failure)));
    } catch (KafkaException | IllegalStateException e) {
      receipt.complete(Receipts.of(message.destination(), e));
    }
    return receipt;
  }

  private static Receipt await(CompletableFuture<Receipt> receipt) {
    try {
      return receipt.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a receipt is never completed so", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Unknown("interrupted while the broker was waited for");
    }
  }

  @Override
  public void close() {
    try {
      producer.close(CLOSE_LIMIT);
    } catch (KafkaException e) {
      LOG.log(Level.WARNING, "the producer was not closed in good order", e);
    }
  }
}
