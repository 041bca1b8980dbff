package dev.onlyonce.app.doctor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.store.local.LocalStore;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.Semantics;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store that came back from a backup is asked first. */
class RestorationTest {

  private final ManualTime here = new ManualTime();

  @TempDir private Path folder;

  private void require(LongSupplier clock) {
    try (LocalStore store = LocalStore.open(folder)) {
      Restoration.requireClock(new OpenStore(store, store, clock, () -> {}, List::of), here);
    }
  }

  @Test
  @Semantics(101)
  void a_store_whose_clock_is_behind_is_refused_since_its_tokens_would_be_too_small() {
    require(() -> here.millis() - 1_500);
    require(() -> here.millis() + 3_600_000);
    assertThatThrownBy(() -> require(() -> here.millis() - 3_600_000))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("3600 seconds behind")
        .hasMessageContaining("set the clocks right");
  }
}
