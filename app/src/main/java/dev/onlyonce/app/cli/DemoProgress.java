package dev.onlyonce.app.cli;

import java.util.function.IntConsumer;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** How far a run of the demo has got, on standard error, if that is a terminal. */
final class DemoProgress implements IntConsumer, AutoCloseable {

  private static final int REDRAWN_AFTER_MILLIS = 250;
  private static final int COLUMNS = 78;

  private final @Nullable ProgressBar bar;

  private DemoProgress(@Nullable ProgressBar bar) {
    this.bar = bar;
  }

  /** Begins to show a run that ends with this number. */
  static DemoProgress of(String run, int end) {
    if (!Terminal.isStandardError()) {
      return new DemoProgress(null);
    }
    return new DemoProgress(
        new ProgressBarBuilder()
            .setTaskName(run)
            .setStyle(ProgressBarStyle.ASCII)
            .setInitialMax(end)
            .setUpdateIntervalMillis(REDRAWN_AFTER_MILLIS)
            .clearDisplayOnFinish()
            .setConsumer(new ConsoleProgressBarConsumer(System.err, COLUMNS))
            .build());
  }

  @Override
  public void accept(int done) {
    if (bar != null) {
      bar.stepTo(done);
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
