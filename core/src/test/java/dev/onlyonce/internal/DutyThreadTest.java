package dev.onlyonce.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DutyThreadTest {

  /** An Error ended the thread, and with it all renewing. */
  @Test
  void whatever_a_duty_throws_it_is_done_again() throws Exception {
    Logger.getLogger(DutyThread.class.getName()).setLevel(Level.OFF);
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch three = new CountDownLatch(3);
    DutyThread duty =
        new DutyThread(
            "duty",
            () -> {
              three.countDown();
              if (runs.incrementAndGet() == 1) {
                throw new StackOverflowError();
              }
              throw new IllegalStateException();
            },
            () -> 0);
    assertThat(runs).as("it does not start by itself").hasValue(0);
    duty.wake();
    assertThat(three.await(60, TimeUnit.SECONDS)).isTrue();
    duty.close();
  }

  @Test
  void a_duty_that_is_never_due_is_done_when_it_is_woken_and_its_thread_ends_when_closed()
      throws Exception {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CountDownLatch ran = new CountDownLatch(1);
    DutyThread duty =
        new DutyThread(
            "duty",
            () -> {
              thread.set(Thread.currentThread());
              ran.countDown();
            },
            () -> Long.MAX_VALUE);
    duty.wake();
    assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(thread.get().isDaemon()).isTrue();
    duty.close();
    thread.get().join();
  }
}
