package dev.onlyonce.broker.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.function.Function;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Counts duplicates in any application that consumes from Kafka, by settings alone; what the
 * application gets is not touched.
 *
 * <pre>
 * interceptor.classes=dev.onlyonce.broker.kafka.DuplicateMetrics
 * onlyonce.duplicates.key=header:payment-id
 * onlyonce.duplicates.remember=1000000
 * </pre>
 *
 * <ul>
 *   <li>{@code onlyonce.duplicates.key}: where the key of an operation is, {@code record-key} (the
 *       default) or {@code header:} and a name, of which the last one counts. A record key that is
 *       not bytes is taken by its text.
 *   <li>{@code onlyonce.duplicates.remember}: how many keys are remembered, 100,000 unless it is
 *       set, at most 10 million; in about 100 bytes each. A copy of a key that came so many
 *       different keys ago is not counted.
 * </ul>
 *
 * <p>The figures are an MBean, {@code dev.onlyonce.kafka:type=Duplicates,client-id=ID}, see {@link
 * DuplicateMetricsMXBean}; where two consumers of a JVM have one client id, the second one's has
 * {@code -2} behind it. They are of one consumer since it was made: copies that another one gets
 * are counted nowhere, so that copies should meet in one partition.
 */
public final class DuplicateMetrics implements ConsumerInterceptor<Object, Object> {
  private static final System.Logger LOG = System.getLogger(DuplicateMetrics.class.getName());
  private static final String KEY = "onlyonce.duplicates.key";
  private static final String REMEMBER = "onlyonce.duplicates.remember";
  private static final String HEADER = "header:";
  private static final int MOST_REMEMBERED = 10_000_000;

  private Function<ConsumerRecord<Object, Object>, byte @Nullable []> keys =
      DuplicateMetrics::recordKey;
  private DuplicateCounts counts = new DuplicateCounts(1);
  private @Nullable ObjectName name;

  /** Called by the consumer. */
  public DuplicateMetrics() {}

  /**
   * Called by the consumer.
   *
   * @throws ConfigException if a setting has no meaning
   */
  @Override
  public void configure(Map<String, ?> settings) {
    keys = keys(Settings.text(settings, KEY));
    counts = new DuplicateCounts(remember(Settings.text(settings, REMEMBER)));
    register(Settings.text(settings, ConsumerConfig.CLIENT_ID_CONFIG));
  }

  private static Function<ConsumerRecord<Object, Object>, byte @Nullable []> keys(String place) {
    if (place.isEmpty() || place.equals("record-key")) {
      return DuplicateMetrics::recordKey;
    }
    if (place.startsWith(HEADER) && place.length() > HEADER.length()) {
      String header = place.substring(HEADER.length());
      return record -> {
        Header last = record.headers().lastHeader(header);
        return last == null ? null : last.value();
      };
    }
    throw new ConfigException(KEY, place, "must be record-key, or header: and a name");
  }

  private static byte @Nullable [] recordKey(ConsumerRecord<Object, Object> record) {
    Object key = record.key();
    return key == null
        ? null
        : key instanceof byte[] bytes ? bytes : key.toString().getBytes(UTF_8);
  }

  private static int remember(String number) {
    try {
      int most = number.isEmpty() ? 100_000 : Integer.parseInt(number);
      if (most >= 1 && most <= MOST_REMEMBERED) {
        return most;
      }
    } catch (NumberFormatException e) {
      // told below
    }
    throw new ConfigException(REMEMBER, number, "must be 1 to " + MOST_REMEMBERED);
  }

  private void register(String clientId) {
    try {
      for (int number = 1; name == null; number++) {
        String id = number == 1 ? clientId : clientId + "-" + number;
        register(
            new ObjectName("dev.onlyonce.kafka:type=Duplicates,client-id=" + ObjectName.quote(id)));
      }
    } catch (JMException e) {
      LOG.log(Level.WARNING, "duplicates are counted and not shown", e);
    }
  }

  private void register(ObjectName wanted) throws JMException {
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(counts, wanted);
      name = wanted;
    } catch (InstanceAlreadyExistsException e) {
      // the next number is tried
    }
  }

  @Override
  public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
    for (ConsumerRecord<Object, Object> record : records) {
      counts.count(
          new TopicPartition(record.topic(), record.partition()),
          record.offset(),
          keys.apply(record));
    }
    return records;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
    // what is committed says nothing of duplicates
  }

  @Override
  public void close() {
    try {
      if (name != null) {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
      }
    } catch (JMException e) {
      LOG.log(Level.DEBUG, "the figures were gone already", e);
    }
  }
}
