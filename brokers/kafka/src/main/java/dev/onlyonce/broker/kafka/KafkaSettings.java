package dev.onlyonce.broker.kafka;

import dev.onlyonce.broker.kafka.KafkaFinding.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Checks settings of consumers, producers and topics: those by which Kafka loses messages, or
 * doubles or reorders them. What is as it should be is not mentioned.
 *
 * <p>A value that is not set counts as Kafka's own default.
 */
public final class KafkaSettings {
  private static final int MOST_IN_FLIGHT = 5;
  private static final Pattern RANDOM =
      Pattern.compile(
          "\\p{XDigit}{8}-\\p{XDigit}{4}-\\p{XDigit}{4}-\\p{XDigit}{4}-\\p{XDigit}{12}");

  private KafkaSettings() {}

  /**
   * Checks the settings of a consumer, also of one that does not belong to a {@link KafkaSource}.
   */
  public static List<KafkaFinding> ofConsumer(Map<?, ?> settings) {
    Findings found = new Findings("consumer", Settings.copy(settings));
    if (found.text(ConsumerConfig.GROUP_ID_CONFIG).isEmpty()) {
      found.add(
          Level.BROKEN,
          ConsumerConfig.GROUP_ID_CONFIG,
          "is not set: offsets are committed for a group, so set its name");
    }
    if (found.is(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "true", "true")) {
      found.add(
          Level.BROKEN,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          "is true: offsets are committed although their records are not finished, and a crash loses"
              + " these; set it to false");
    }
    if (found.is(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted", "read_uncommitted")) {
      found.add(
          Level.UNSAFE,
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          "is read_uncommitted: records of transactions that were aborted are handled; set it to"
              + " read_committed");
    }
    if (!found.is(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest", "latest")
        && !found.is(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none", "latest")) {
      found.add(
          Level.UNSAFE,
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          "is not earliest: where the group has no offset, or it has expired, records are skipped;"
              + " set it to earliest, or to none to be told");
    }
    return found.all();
  }

  /** Checks the settings of a producer, also of one that is not a {@link KafkaPublisher}'s. */
  public static List<KafkaFinding> ofProducer(Map<?, ?> settings) {
    Findings found = new Findings("producer", Settings.copy(settings));
    if (found.is(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "false", "true")) {
      found.add(
          Level.BROKEN,
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          "is false: what the client sends again is written twice, or behind what came later; set it"
              + " to true");
    }
    if (!found.is(ProducerConfig.ACKS_CONFIG, "all", "all")
        && !found.is(ProducerConfig.ACKS_CONFIG, "-1", "all")) {
      found.add(
          Level.BROKEN,
          ProducerConfig.ACKS_CONFIG,
          "is not all: what was acknowledged is lost with its leader; set it to all");
    }
    if (found.is(ProducerConfig.RETRIES_CONFIG, "0", "2147483647")) {
      found.add(
          Level.BROKEN,
          ProducerConfig.RETRIES_CONFIG,
          "is 0: a change of the leader is a failure; leave it out, delivery.timeout.ms is the"
              + " limit");
    }
    if (found.number(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, MOST_IN_FLIGHT)
        > MOST_IN_FLIGHT) {
      found.add(
          Level.BROKEN,
          ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
          "is above 5: an idempotent producer keeps the order of no more than 5 requests; leave it"
              + " out");
    }
    if (RANDOM.matcher(found.text(ProducerConfig.TRANSACTIONAL_ID_CONFIG)).find()) {
      found.add(
          Level.UNSAFE,
          ProducerConfig.TRANSACTIONAL_ID_CONFIG,
          "looks random: a producer that is started again fences its predecessor, and ends its open"
              + " transaction, only under the same id; give each instance a name that stays");
    }
    return found.all();
  }

  /**
   * Asks the brokers about topics and waits for the answer. What may not be seen, for lack of
   * permission, is a finding too.
   *
   * @throws org.apache.kafka.common.KafkaException if the brokers do not answer
   */
  public static List<KafkaFinding> ofTopics(Admin admin, List<String> topics) {
    return TopicSettings.check(admin, topics);
  }

  /** Collects findings about one client. */
  private record Findings(String place, Map<String, Object> settings, List<KafkaFinding> all) {

    Findings(String place, Map<String, Object> settings) {
      this(place, settings, new ArrayList<>());
    }

    String text(String setting) {
      return Settings.text(settings, setting);
    }

    boolean is(String setting, String value, String otherwise) {
      String set = text(setting);
      return (set.isEmpty() ? otherwise : set).toLowerCase(Locale.ROOT).equals(value);
    }

    long number(String setting, long otherwise) {
      String set = text(setting);
      try {
        return set.isEmpty() ? otherwise : Long.parseLong(set);
      } catch (NumberFormatException e) {
        return otherwise; // the client says so itself
      }
    }

    void add(Level level, String setting, String sentence) {
      String value = text(setting);
      all.add(
          new KafkaFinding(
              level,
              place,
              setting,
              value.isEmpty() ? null : value,
              place + ": " + setting + " " + sentence));
    }
  }
}
