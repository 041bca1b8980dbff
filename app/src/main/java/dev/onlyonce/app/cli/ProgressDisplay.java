package dev.onlyonce.app.cli;

import dev.onlyonce.app.input.Progress;
import java.util.Timer;
import java.util.TimerTask;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar on standard error, if that is a terminal and the work takes longer than a bit. */
final class ProgressDisplay {

  private static final long APPEARS_AFTER_MILLIS = 2_000;
  private static final long REDRAWN_AFTER_MILLIS = 500;
  private static final long MIB = 1 << 20;
  private static final int COLUMNS = 78;

  private final Progress progress;
  private final Timer timer = new Timer("onlyonce-progress", true);
  private @Nullable ProgressBar bar;

  private ProgressDisplay(Progress progress) {
    this.progress = progress;
    TimerTask drawing =
        new TimerTask() {
          @Override
          public void run() {
            draw();
          }
        };
    timer.schedule(drawing, APPEARS_AFTER_MILLIS, REDRAWN_AFTER_MILLIS);
  }

  /** Shows progress from now on, or does nothing where nobody would see it. */
  static Ending of(Progress progress) {
    if (!Terminal.isStandardError()) {
      return () -> {};
    }
    return new ProgressDisplay(progress)::close;
  }

  /** Ends the display. */
  @FunctionalInterface
  interface Ending extends AutoCloseable {
    @Override
    void close();
  }

  private synchronized void draw() {
    if (bar == null) {
      bar =
          new ProgressBarBuilder()
              .setTaskName("dedup")
              .setStyle(ProgressBarStyle.ASCII)
              .setInitialMax(progress.totalBytes())
              .setUnit("MiB", MIB)
              .setConsumer(new ConsoleProgressBarConsumer(System.err, COLUMNS))
              .build();
    }
    bar.stepTo(progress.bytes());
    bar.setExtraMessage(String.format("%,d records", progress.records()));
  }

  private synchronized void close() {
    timer.cancel();
    if (bar != null) {
      bar.close();
    }
  }
}
