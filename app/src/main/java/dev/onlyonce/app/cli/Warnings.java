package dev.onlyonce.app.cli;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Shows what the library warns of as the program's own sentences, on standard error. */
final class Warnings extends Handler {

  /** Held, since the logging system itself would forget it. */
  private static final Logger LIBRARY = Logger.getLogger("dev.onlyonce");

  /** Held as well. What it warns of is told by the program, in the sentence of its error. */
  private static final Logger DRIVER = Logger.getLogger("org.postgresql");

  private Warnings() {}

  static void show() {
    LIBRARY.setUseParentHandlers(false);
    LIBRARY.addHandler(new Warnings());
    DRIVER.setUseParentHandlers(false);
  }

  @Override
  public void publish(LogRecord record) {
    if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
      Throwable thrown = record.getThrown();
      String cause = thrown == null ? "" : ": " + thrown.getMessage();
      System.err.println("onlyonce: warning: " + record.getMessage() + cause);
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
