package dev.onlyonce.internal.messaging;

import dev.onlyonce.Backoff;
import dev.onlyonce.internal.Events;
import dev.onlyonce.internal.Threads;
import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.Publisher;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes dead letters, and tries again after a back-off for as long as it takes. Only the thread
 * of the loop calls.
 */
final class DeadLetterDesk<R extends @Nullable Object> {

  private static final System.Logger LOG = System.getLogger("dev.onlyonce.messaging");

  /** Some eight tries in the first two minutes, then one a minute. */
  private static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofSeconds(1), 2, Duration.ofMinutes(1)).withoutJitter();

  private static final int CALLS = 4;

  private final DeadLetters letters;
  private final Events events;

  private final Mailbox mailbox;
  private final Timers timers;
  private final Consumer<Work<R>> leave;
  private final Executor executor = Threads.pool(CALLS, "onlyonce-dead-letters");

  /**
   * @param leave is told of one whose letter was not published and is not to be waited for
   */
  DeadLetterDesk(
      DeadLetters letters, Events events, Mailbox mailbox, Timers timers, Consumer<Work<R>> leave) {
    this.letters = letters;
    this.events = events;
    this.mailbox = mailbox;
    this.timers = timers;
    this.leave = leave;
  }

  /** Tells whether letters are published at all. */
  boolean isOpen() {
    return letters.publisher().isPresent();
  }

  /**
   * Publishes a letter.
   *
   * @param then what is done when the broker has it
   */
  void bury(Work<R> work, DeadLetterMessage letter, Runnable then) {
    work.failures = 0;
    letters
        .publisher()
        .ifPresentOrElse(
            publisher -> publish(publisher, work, letter, then), () -> buried(work, letter, then));
  }

  private void publish(Publisher publisher, Work<R> work, DeadLetterMessage letter, Runnable then) {
    executor.execute(
        () -> {
          Optional<String> problem =
              new Post(publisher)
                  .send(() -> letter.toMessage(letters.destination(letter.delivery())));
          mailbox.post(
              () -> {
                if (work.state != Work.State.BURYING) {
                  return; // it has been given back meanwhile
                }
                problem.ifPresentOrElse(
                    why -> notBuried(publisher, work, letter, why, then),
                    () -> buried(work, letter, then));
              });
        });
  }

  private void buried(Work<R> work, DeadLetterMessage letter, Runnable then) {
    work.isBuried = true;
    work.failures = 0;
    work.state = Work.State.SETTLING;
    events.publish(
        new Event.DeadLettered(
            letter.scope(), letter.key(), letter.reason(), letter.attempts(), letter.token()));
    then.run();
  }

  private void notBuried(
      Publisher publisher, Work<R> work, DeadLetterMessage letter, String why, Runnable then) {
    work.failures++;
    events.publish(new Event.DeadLetterFailed(letter.scope(), letter.key(), why, work.failures));
    warn(letter, why, work.failures);
    if (work.isLeaving) {
      leave.accept(work);
      return;
    }
    timers.after(
        BACKOFF.delay(work.failures),
        () -> {
          if (work.state == Work.State.BURYING) {
            publish(publisher, work, letter, then);
          }
        });
  }

  private static void warn(DeadLetterMessage letter, String why, int tries) {
    if (Integer.bitCount(tries) == 1) {
      String sentence =
          "the message of %s at %s could not be put aside as a dead letter (tries: %d) and stays"
              + " unacknowledged: %s";
      LOG.log(
          Level.WARNING,
          sentence.formatted(letter.delivery().source(), letter.delivery().position(), tries, why));
    }
  }
}
