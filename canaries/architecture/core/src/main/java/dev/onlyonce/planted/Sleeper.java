package dev.onlyonce.planted;

import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Sleeps, and looks at the wall clock in every way there is. */
final class Sleeper {
  private Sleeper() {}

  static void sleep() throws InterruptedException {
    Thread.sleep(1);
    TimeUnit.SECONDS.sleep(1);
  }

  static Supplier<Instant> clock() {
    return Instant::now;
  }

  @SuppressWarnings({"JavaTimeDefaultTimeZone", "JavaUtilDate"})
  static String now() {
    return ""
        + System.currentTimeMillis()
        + LocalDateTime.now()
        + new Date()
        + Calendar.getInstance();
  }
}
