package dev.onlyonce.internal.messaging;

import dev.onlyonce.Scope;
import dev.onlyonce.internal.Threads;
import dev.onlyonce.messaging.Retries;
import dev.onlyonce.spi.Delivery;
import dev.onlyonce.spi.Publisher;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Hands messages over to the broker that wait for an attempt. Only the thread of the loop calls.
 */
final class RetryDesk<R extends @Nullable Object> {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.messaging");
  private static final int CALLS = 4;

  private final @Nullable Retries retries;
  private final Scope scope;
  private final Mailbox mailbox;
  private final Executor executor = Threads.pool(CALLS, "onlyonce-retries");
  private int failures;

  /**
   * @param retries null if everything waits in the consumer
   */
  RetryDesk(@Nullable Retries retries, Scope scope, Mailbox mailbox) {
    this.retries = retries;
    this.scope = scope;
    this.mailbox = mailbox;
  }

  /** Returns where a message may wait; empty if that is the consumer. */
  Optional<String> destination(Work<R> work, Duration delay) {
    if (retries == null || work.key == null || work.orderingKey != null) {
      return Optional.empty();
    }
    try {
      return retries.destination(work.delivery(), delay);
    } catch (RuntimeException | Error e) {
      notTaken("its destination cannot be found: " + e);
      return Optional.empty();
    }
  }

  /**
   * Publishes a copy of a message.
   *
   * @param then what is done when the broker has it
   * @param otherwise what is done if that is not sure
   */
  void handOver(Work<R> work, String destination, int attempt, Runnable then, Runnable otherwise) {
    if (retries == null) {
      otherwise.run();
      return;
    }
    Post post = new Post(retries.publisher());
    Publisher.Message copy = copy(work.delivery(), destination, attempt);
    executor.execute(
        () -> {
          Optional<String> problem = post.send(() -> copy);
          mailbox.post(
              () -> {
                if (problem.isPresent()) {
                  notTaken(problem.get());
                  otherwise.run();
                } else {
                  failures = 0;
                  then.run();
                }
              });
        });
  }

  private Publisher.Message copy(Delivery delivery, String destination, int attempt) {
    return new Publisher.Message(
        "retry/%s/%s/%s/%d".formatted(scope, delivery.source(), delivery.position(), attempt),
        destination,
        delivery.recordKey(),
        null,
        delivery.headers(),
        delivery.body());
  }

  private void notTaken(String why) {
    failures++;
    if (Integer.bitCount(failures) == 1) {
      LOG.log(
          Level.WARNING,
          "a message waits for its next attempt here, since it could not be handed over (%d): %s"
              .formatted(failures, why));
    }
  }
}
