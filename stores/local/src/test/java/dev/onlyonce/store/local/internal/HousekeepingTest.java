package dev.onlyonce.store.local.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Space: how it is taken, what happens when there is none, and how it is freed. */
class HousekeepingTest {

  private static final Scope SCOPE = Scope.of("billing");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final CrashDisk disk = new CrashDisk(new SplittableRandom(1));
  private final ManualTime time = new ManualTime();
  private final LocalEngine.Settings settings = new LocalEngine.Settings();
  private int keys;

  HousekeepingTest() {
    settings.time = time;
    settings.segmentBytes = 16 << 10;
    settings.purgeGrace = Duration.ZERO;
  }

  private LocalEngine open(Disk on) throws IOException {
    return LocalEngine.open(on, settings, Runnable::run, Hold.unshared());
  }

  private ClaimRequest done(Duration retention, Result result) {
    Key key = Key.of("order-" + keys++);
    return ClaimRequest.of(SCOPE, key, keys, MINUTE, Lapse.TAKE).settlingNow(result, retention);
  }

  private List<Answer> fill(LocalEngine store, int count, Duration retention) {
    return store.claim(
        IntStream.range(0, count).mapToObj(i -> done(retention, Result.NONE)).toList());
  }

  private void fillUp(LocalEngine store) {
    assertThatThrownBy(
            () -> {
              while (true) {
                fill(store, 20, MINUTE);
              }
            })
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL))
        .hasMessageContaining("free some");
  }

  /** It had to be opened anew before it freed anything: there was no room to say what it freed. */
  @Test
  void a_full_disk_is_made_emptier_by_a_purge() throws IOException {
    LocalEngine store = open(disk);
    disk.fillUpAfter(300_000);
    fillUp(store);
    long segments = segments();
    time.advance(MINUTE.multipliedBy(2));

    assertThat(store.purge(100_000)).isPositive();

    assertThat(segments()).isLessThan(segments / 2);
    disk.fillUpAfter(100_000); // the test disk does not count what is deleted
    assertThat(fill(store, 20, MINUTE)).allMatch(Answer.Claimed.class::isInstance);
    store.close();
  }

  private long segments() {
    return disk.list().stream().filter(Segment::isSegment).count();
  }

  /** A small disk belongs to others too: the output of the same program, for instance. */
  @Test
  void what_is_taken_ahead_leaves_most_of_a_small_disk_free() throws IOException {
    settings.segmentBytes = 64 << 20;
    disk.fillUpAfter(1 << 20);
    LocalEngine store = open(disk);
    fill(store, 100, MINUTE);
    assertThat(disk.room()).isGreaterThan(800_000);
    store.close();
  }

  @Test
  void a_snapshot_that_finds_no_room_leaves_nothing_behind() throws IOException {
    LocalEngine store = open(disk);
    disk.fillUpAfter(200_000);
    fillUp(store);
    assertThat(disk.list()).noneMatch(file -> file.startsWith("snap-") && file.endsWith(".new"));
    store.close();
  }

  @Test
  void a_snapshot_of_a_segment_that_was_dropped_meanwhile_goes_with_it() throws IOException {
    Queue<Runnable> later = new ArrayDeque<>();
    LocalEngine store = LocalEngine.open(disk, settings, later::add, Hold.unshared());
    while (segments() < 3) {
      fill(store, 20, MINUTE);
    }
    time.advance(MINUTE.multipliedBy(2));
    Disk.Data kept = disk.open("log-0000000000000000");
    store.purge(100_000);
    assertThat(kept.size()).isPositive();
    later.forEach(Runnable::run);
    assertThat(disk.list()).noneMatch(file -> file.startsWith("snap-0000000000000000"));
    store.close();
  }

  /** A process that has too many files open is not one whose disk is full. */
  @Test
  void a_file_that_cannot_be_made_for_another_reason_is_not_told_as_a_full_disk()
      throws IOException {
    boolean[] fails = {false};
    Disk failing =
        new ForwardingDisk(disk) {
          @Override
          public Data create(String name) throws IOException {
            if (fails[0]) {
              throw new IOException("Too many open files");
            }
            return super.create(name);
          }
        };
    LocalEngine store = open(failing);
    fails[0] = true;
    assertThatThrownBy(
            () -> {
              while (true) {
                fill(store, 20, MINUTE);
              }
            })
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE))
        .hasMessageContaining("at present (Too many open files)");
    fails[0] = false;
    assertThat(fill(store, 20, MINUTE)).allMatch(Answer.Claimed.class::isInstance);
    store.close();
  }

  /** What is carried forward at once must fit a frame, however large the results are. */
  @Test
  void large_results_are_carried_forward_in_several_frames() throws IOException {
    settings.segmentBytes = 80 << 20;
    LocalEngine store = open(disk);
    Result large = new Result.Value("text/plain", new byte[60_000]);
    for (int i = 0; i < 120; i++) {
      store.claim(IntStream.range(0, 10).mapToObj(j -> done(Duration.ofDays(9), large)).toList());
    }
    Queue<ClaimRequest> dead = new ArrayDeque<>();
    for (int i = 0; i < 10_000; i++) {
      dead.add(done(MINUTE, Result.NONE));
    }
    store.claim(List.copyOf(dead));
    while (segments() < 2) {
      store.claim(List.of(done(MINUTE, large)));
    }
    time.advance(MINUTE.multipliedBy(2));

    assertThat(store.purge(100_000)).isGreaterThan(10_000);

    assertThat(disk.list()).doesNotContain("log-0000000000000000");
    assertThat(store.totals().values()).containsExactly(1_200L);
    store.close();
  }

  /** It kept the files of segments open that the writer had deleted, and so their space. */
  @Test
  void a_reader_lets_segments_go_that_the_writer_has_dropped() throws IOException {
    LocalEngine store = open(disk);
    fill(store, 20, MINUTE);
    StoreId id = StoreId.of(disk);
    LocalView reader = LocalView.open(disk, id, new Log.Settings(id.id(), 1, false, false));
    while (segments() < 5) {
      fill(store, 20, MINUTE);
      reader.follow(time.millis());
    }
    time.advance(MINUTE.multipliedBy(2));
    store.purge(100_000);
    fill(store, 20, MINUTE);

    reader.follow(time.millis());

    assertThat(reader.log.segments().stream().map(Segment::fileName).toList())
        .isEqualTo(disk.list().stream().filter(Segment::isSegment).toList());
    store.close();
  }
}
