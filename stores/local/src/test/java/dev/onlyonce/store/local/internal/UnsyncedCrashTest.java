package dev.onlyonce.store.local.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A store that answers before it syncs may lose in a crash what it has answered last, and nothing
 * before that; what is lost does not come back.
 */
class UnsyncedCrashTest {

  private static final int HISTORIES = 500;
  private static final Scope SCOPE = Scope.of("billing");

  @Test
  @Semantics(96)
  void a_crash_takes_the_last_answers_and_no_others() throws IOException {
    int lost = 0;
    for (long seed = 0; seed < HISTORIES; seed++) {
      History history = new History(seed);
      for (int life = 0; life < 6; life++) {
        history.live();
      }
      lost += history.lost.size();
    }
    assertThat(lost).isPositive();
  }

  private static final class History {
    private final long seed;
    private final SplittableRandom random;
    private final CrashDisk disk;
    private final LocalEngine.Settings settings = new LocalEngine.Settings();

    /** What was claimed in this order and is still known. */
    private final List<Key> known = new ArrayList<>();

    private final List<Key> lost = new ArrayList<>();
    private int keys;

    History(long seed) {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.disk = new CrashDisk(random.split());
      settings.syncs = false;
      settings.segmentBytes = 4_096 << random.nextInt(3);
      settings.time = new ManualTime();
    }

    /** Opens the store, claims until the machine stops, and starts it again. */
    void live() throws IOException {
      disk.crashAfter(20 + random.nextInt(150));
      try {
        LocalEngine store = LocalEngine.open(disk, settings, Runnable::run, Hold.unshared());
        check(store);
        while (true) {
          claim(store);
        }
      } catch (CrashDisk.Crash e) {
        disk.restart();
      }
    }

    private void claim(LocalEngine store) {
      Key key = Key.of("order-%08d".formatted(keys++)); // frames of one length
      known.add(key);
      ClaimRequest request =
          ClaimRequest.of(SCOPE, key, random.nextLong(), Duration.ofSeconds(10), Lapse.TAKE)
              .settlingNow(Result.NONE, Duration.ofDays(1));
      assertThat(store.claim(List.of(request))).first().isInstanceOf(Answer.Claimed.class);
    }

    private void check(LocalEngine store) {
      int count = 0;
      while (count < known.size() && isKnown(store, known.get(count))) {
        count++;
      }
      List<Key> gone = known.subList(count, known.size());
      assertThat(gone)
          .as("seed %d: behind one that is gone", seed)
          .noneMatch(it -> isKnown(store, it));
      assertThat(lost).as("seed %d: once lost", seed).noneMatch(it -> isKnown(store, it));
      lost.addAll(gone);
      gone.clear();
    }

    private static boolean isKnown(LocalEngine store, Key key) {
      return store.find(SCOPE, key).isPresent();
    }
  }
}
