package dev.onlyonce.broker.kafka;

import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Knows the ids of topics, and which of the wanted ones are missing: a consumer tells neither. It
 * asks beside the polling, which does not wait for it.
 *
 * <p>For one thread.
 */
final class Topics implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final Admin admin;
  private final Set<String> named;
  private final Failures failures;
  private final Runnable answered;
  private final Time time;
  private final long maxAgeNanos;
  private final Map<String, Uuid> ids = new HashMap<>();
  private final Set<String> wanted = new TreeSet<>();
  private @Nullable Question asked;
  private long askedAt;

  /**
   * @param all done when all answers are
   */
  private record Question(
      Map<String, KafkaFuture<TopicDescription>> answers, KafkaFuture<Void> all) {}

  /**
   * @param named topics that must be there
   * @param maxAge how old an answer may become
   * @param answered called by another thread when an answer has come
   */
  Topics(
      Admin admin,
      Set<String> named,
      Duration maxAge,
      Time time,
      Failures failures,
      Runnable answered) {
    this.admin = admin;
    this.time = time;
    maxAgeNanos = maxAge.toNanos();
    this.named = named;
    this.failures = failures;
    this.answered = answered;
    wanted.addAll(named);
  }

  @Nullable Uuid id(String topic) {
    return ids.get(topic);
  }

  /** Tells whether the id of a topic is being asked for. */
  boolean isAsking(String topic) {
    return wanted.contains(topic) || (asked != null && asked.answers.containsKey(topic));
  }

  /** Forgets the ids of these, which may be others by now, and looks again what is there. */
  void changed(Collection<String> topics) {
    ids.keySet().removeAll(topics);
    asked = null; // an answer under way may be about what was before
    wanted.addAll(named);
    wanted.addAll(topics);
  }

  /**
   * Takes an answer if one has come, and asks what is wanted.
   *
   * @throws SourceException if a named topic is missing, or the broker has not answered
   */
  void step() {
    if (asked != null) {
      Question question = asked;
      if (!question.all.isDone()) {
        return;
      }
      asked = null;
      wanted.addAll(question.answers.keySet());
      question.answers.forEach(this::take);
    }
    if (time.nanoTime() - askedAt > maxAgeNanos) {
      wanted.addAll(named);
      wanted.addAll(ids.keySet());
    }
    if (!wanted.isEmpty()) {
      askedAt = time.nanoTime();
      asked = ask(Set.copyOf(wanted));
      wanted.clear();
    }
  }

  private Question ask(Set<String> names) {
    DescribeTopicsOptions options =
        new DescribeTopicsOptions().timeoutMs(Math.toIntExact(LIMIT.toMillis()));
    Map<String, KafkaFuture<TopicDescription>> answers =
        admin.describeTopics(names, options).topicNameValues();
    return new Question(
        answers,
        KafkaFuture.allOf(answers.values().toArray(KafkaFuture<?>[]::new))
            .whenComplete((all, failure) -> answered.run()));
  }

  private void take(String topic, KafkaFuture<TopicDescription> answer) {
    try {
      ids.put(topic, answer.get().topicId());
      wanted.remove(topic);
    } catch (ExecutionException e) {
      failed(topic, e.getCause());
    } catch (InterruptedException e) {
      throw failures.of(new InterruptException(e));
    }
  }

  private void failed(String topic, @Nullable Throwable failure) {
    if (failure instanceof UnknownTopicOrPartitionException missing) {
      ids.remove(topic);
      if (named.contains(topic)) {
        throw failures.missing(topic, missing);
      }
      wanted.remove(topic);
      return; // it was deleted, and its partitions are about to be taken away
    }
    throw failures.of(
        failure instanceof KafkaException known ? known : new KafkaException(failure));
  }

  @Override
  public void close() {
    admin.close(LIMIT);
  }
}
