package dev.onlyonce.broker.kafka;

import dev.onlyonce.broker.kafka.KafkaFinding.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Checks the settings of one topic. */
final class TopicSettings {
  private final String topic;
  private final List<KafkaFinding> found = new ArrayList<>();

  private TopicSettings(String topic) {
    this.topic = topic;
  }

  static List<KafkaFinding> check(Admin admin, List<String> topics) {
    Map<String, KafkaFuture<TopicDescription>> descriptions =
        admin.describeTopics(topics).topicNameValues();
    Map<ConfigResource, KafkaFuture<Config>> configs =
        admin.describeConfigs(topics.stream().map(TopicSettings::resource).toList()).values();
    List<KafkaFinding> all = new ArrayList<>();
    for (String topic : topics) {
      TopicSettings settings = new TopicSettings(topic);
      settings.check(
          Objects.requireNonNull(descriptions.get(topic)),
          Objects.requireNonNull(configs.get(resource(topic))));
      all.addAll(settings.found);
    }
    return all;
  }

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  private void check(Future<TopicDescription> description, Future<Config> config) {
    try {
      int replicas = replicas(description.get());
      onReplicas(replicas);
      onConfig(replicas, config.get());
    } catch (ExecutionException e) {
      notSeen(e.getCause());
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  static List<KafkaFinding> check(String topic, int replicas, Config config) {
    TopicSettings settings = new TopicSettings(topic);
    settings.onReplicas(replicas);
    settings.onConfig(replicas, config);
    return settings.found;
  }

  private void onConfig(int replicas, Config config) {
    if (replicas > 1) {
      onInSync(replicas, minInSync(config));
    }
    if (value(config, TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG).equals("true")) {
      add(
          Level.UNSAFE,
          TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG,
          "true",
          "is true: a replica that is behind may become the leader, by which acknowledged records"
              + " are lost and offsets given twice; set it to false");
    }
    String cleanup = value(config, TopicConfig.CLEANUP_POLICY_CONFIG);
    if (cleanup.contains("compact")) {
      add(
          Level.NOTE,
          TopicConfig.CLEANUP_POLICY_CONFIG,
          cleanup,
          "has compact: of records with one key a slow consumer may see the last one only; for events"
              + " set it to delete");
    }
  }

  private static int minInSync(Config config) {
    String value = value(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    return value.isEmpty() ? 1 : Integer.parseInt(value);
  }

  /** Of the partition that has the fewest. */
  private static int replicas(TopicDescription description) {
    return description.partitions().stream().mapToInt(it -> it.replicas().size()).min().orElse(0);
  }

  private void notSeen(@Nullable Throwable failure) {
    if (failure instanceof UnknownTopicOrPartitionException) {
      add(Level.BROKEN, "name", topic, "is not there: create it");
    } else if (failure instanceof AuthorizationException) {
      add(
          Level.NOTE,
          "min.insync.replicas, unclean.leader.election.enable",
          null,
          "may not be seen (DESCRIBE_CONFIGS on the topic): see to it yourself that the first is one"
              + " less than the replicas, and at least 2, and the second false");
    } else {
      throw failure instanceof KafkaException known ? known : new KafkaException(failure);
    }
  }

  private void onReplicas(int replicas) {
    if (replicas == 1) {
      add(
          Level.UNSAFE,
          "replication.factor",
          "1",
          "is 1: what was acknowledged is lost with one disk; create it with 3 replicas");
    }
  }

  private void onInSync(int replicas, int least) {
    if (least == 1) {
      add(
          Level.UNSAFE,
          TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
          "1",
          "is 1: with acks=all a leader whose replicas are behind acknowledges alone, and what it"
              + " acknowledged is lost with it; set it to 2");
    } else if (least >= replicas) {
      add(
          Level.NOTE,
          TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
          Integer.toString(least),
          "is as large as the number of replicas: while one of them is away nothing can be sent; set"
              + " it to one less");
    }
  }

  private static String value(Config config, String name) {
    ConfigEntry entry = config.get(name);
    String value = entry == null ? null : entry.value();
    return value == null ? "" : value;
  }

  private void add(Level level, String setting, @Nullable String value, String sentence) {
    String place = "topic " + topic;
    found.add(
        new KafkaFinding(level, place, setting, value, place + ": " + setting + " " + sentence));
  }
}
