package dev.onlyonce.app.cli;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Takes what the library warns of, as the program's own sentences. */
final class Warnings extends Handler {

  /** Held, since the logging system itself would forget it. */
  private static final Logger LIBRARY = Logger.getLogger("dev.onlyonce");

  /** Held as well. What it warns of is told by the program, in the sentence of its error. */
  private static final Logger DRIVER = Logger.getLogger("org.postgresql");

  private final Consumer<String> taker;

  private Warnings(Consumer<String> taker) {
    this.taker = taker;
  }

  /** Shows all from now on, on standard error. */
  static void show() {
    LIBRARY.setUseParentHandlers(false);
    LIBRARY.addHandler(new Warnings(it -> System.err.println("onlyonce: warning: " + it)));
    DRIVER.setUseParentHandlers(false);
  }

  /**
   * Does some work; returns what is warned of meanwhile, each once, and shows it nowhere, unless
   * the work ends with an exception.
   */
  static List<String> during(Runnable work) {
    List<String> taken = new CopyOnWriteArrayList<>();
    Handler[] others = LIBRARY.getHandlers();
    boolean wasForParents = LIBRARY.getUseParentHandlers();
    Warnings collecting = new Warnings(taken::add);
    for (Handler each : others) {
      LIBRARY.removeHandler(each);
    }
    LIBRARY.setUseParentHandlers(false);
    LIBRARY.addHandler(collecting);
    boolean isDone = false;
    try {
      work.run();
      isDone = true;
    } finally {
      LIBRARY.removeHandler(collecting);
      LIBRARY.setUseParentHandlers(wasForParents);
      for (Handler each : others) {
        LIBRARY.addHandler(each);
      }
      if (!isDone) {
        taken.stream().distinct().forEach(LIBRARY::warning);
      }
    }
    return taken.stream().distinct().toList();
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
      Throwable thrown = record.getThrown();
      String cause = thrown == null ? "" : ": " + thrown.getMessage();
      taker.accept(record.getMessage() + cause);
    }
  }

  @Override
  public void flush() {
    System.err.flush();
  }

  @Override
  public void close() {
    // Standard error is not ours.
  }
}
