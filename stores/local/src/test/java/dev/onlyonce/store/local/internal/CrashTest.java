package dev.onlyonce.store.local.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.Claim;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.Semantics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Random histories on a disk that crashes, fails its syncs and is full, by a clock that jumps: what
 * was answered is there afterwards, and what was not is there completely or not at all.
 */
class CrashTest {

  private static final int HISTORIES = 2_000;
  private static final Scope SCOPE = Scope.of("billing");

  @Test
  @Semantics({70, 76, 96})
  @Case(29)
  void what_was_answered_outlives_every_crash() {
    for (long seed = 0; seed < HISTORIES; seed++) {
      new History(seed, disk -> disk, settings -> {}).run();
    }
  }

  /** A store has not kept what it promises, as opposed to a mistake in its program. */
  static final class BrokenPromise extends AssertionError {
    private static final long serialVersionUID = 1L;

    BrokenPromise(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** One run of a store on one disk, with its crashes. */
  static final class History {
    private final long seed;
    private final SplittableRandom random;
    private final CrashDisk disk;
    private final UnaryOperator<Disk> bug;
    private final ManualTime time = new ManualTime();
    private final LocalEngine.Settings settings = new LocalEngine.Settings();

    /** What was answered, by key. */
    private final Map<Key, ClaimRecord> known = new HashMap<>();

    /** When that was, by the clock that does not jump. */
    private final Map<Key, Long> since = new HashMap<>();

    /** The keys that a call was about which was not answered. */
    private final List<Key> open = new ArrayList<>();

    private byte[] note = {};
    private byte[] openNote;
    private int keys;
    private long aheadHours;
    private final Set<Long> visitedHours = new HashSet<>(Set.of(0L));

    History(long seed, UnaryOperator<Disk> bug, Consumer<LocalEngine.Settings> wrong) {
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.disk = new CrashDisk(random.split());
      this.bug = bug;
      settings.time = time;
      settings.segmentBytes = 4_096 << random.nextInt(3);
      settings.purgeGrace = Duration.ZERO;
      wrong.accept(settings);
    }

    void run() {
      try {
        for (int life = 0; life < 6; life++) {
          if (random.nextInt(4) == 0) {
            jump();
          }
          live();
          if (random.nextBoolean()) {
            restart();
          } else {
            disk.endProcess();
          }
        }
        restart();
        check(open());
      } catch (AssertionError | DamagedException | StoreException e) {
        // A crash is no damage: a store that cannot be read after it has lost everything.
        throw new BrokenPromise("seed " + seed + ": " + e, e);
      } catch (RuntimeException | IOException e) {
        throw new IllegalStateException("seed " + seed + ": " + e, e);
      }
    }

    private void restart() throws IOException {
      disk.restart();
      for (String file : disk.list()) {
        if (file.matches("snap-[0-9a-f]{16}")) {
          assertThat(isWhole(file)).as("%s has its name and is not complete", file).isTrue();
        }
      }
    }

    private boolean isWhole(String snapshot) throws IOException {
      Bytes content = new Bytes(0);
      try (Disk.Data data = disk.open(snapshot)) {
        content.readAll(data);
      }
      return Snapshot.isWhole(content.array(), content.end());
    }

    /**
     * Sets the wall clock back, or so far ahead that it is not believed: by hours, an even number.
     * It never comes to where it was before, which would be believed, and counts the time for which
     * the store was closed.
     */
    private void jump() {
      long to;
      do {
        to = 2L * random.nextInt(-100, 5_000);
      } while (!visitedHours.add(to));
      time.jump(Duration.ofHours(to - aheadHours));
      aheadHours = to;
    }

    private LocalEngine open() throws IOException {
      return LocalEngine.open(bug.apply(disk), settings, Runnable::run, Hold.unshared());
    }

    /** The store is opened and used until something happens to it. */
    private void live() throws IOException {
      switch (random.nextInt(4)) {
        case 0 -> disk.failSyncAfter(random.nextInt(60));
        case 1 -> disk.fillUpAfter(random.nextInt(100_000));
        default -> disk.crashAfter(random.nextInt(150));
      }
      LocalEngine store = null;
      try {
        store = open();
        check(store);
        for (int i = 0; i < 60; i++) {
          time.advance(Duration.ofMillis(1 + random.nextInt(5_000)));
          use(store);
        }
      } catch (CrashDisk.Crash e) {
        // The machine has stopped; what the last call was about is open.
      } catch (StoreException e) {
        assertThat(e.kind())
            .as("a crash or a disk that fails is no damage: %s", e.getMessage())
            .isEqualTo(StoreException.Kind.UNAVAILABLE);
      } catch (IOException e) {
        assertThat(e).isNotInstanceOf(DamagedException.class);
      }
    }

    private void use(LocalEngine store) {
      try {
        switch (random.nextInt(8)) {
          case 0 -> store.purge(1 + random.nextInt(20));
          case 1, 2 -> transaction(store);
          case 3 -> renew(store);
          default -> claimAndSettle(store);
        }
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.FULL) {
          throw e;
        }
        remember(store); // nothing was done, and the store goes on
      }
    }

    private Key freshKey() {
      return Key.of("order-" + seed + "-" + keys++);
    }

    private ClaimRequest request(Key key) {
      ClaimRequest request =
          ClaimRequest.of(
              SCOPE,
              key,
              random.nextLong(),
              Duration.ofSeconds(10),
              random.nextBoolean() ? Lapse.TAKE : Lapse.PARK);
      return random.nextInt(3) == 0
          ? request.settlingNow(result(), Duration.ofSeconds(1 + random.nextInt(100)))
          : request;
    }

    private Result result() {
      return switch (random.nextInt(4)) {
        case 0 -> Result.NONE;
        case 1 -> Result.NOT_KEPT;
        default -> new Result.Value("text/plain", new byte[random.nextInt(2_000)]);
      };
    }

    /** Fresh keys are claimed, and those that are held are settled, in one call each. */
    private void claimAndSettle(LocalEngine store) {
      List<ClaimRequest> requests = new ArrayList<>();
      for (int i = random.nextInt(12); i >= 0; i--) {
        requests.add(request(freshKey()));
      }
      requests.forEach(request -> open.add(request.key()));
      for (Answer answer : store.claim(requests)) {
        assertThat(answer).isInstanceOf(Answer.Claimed.class);
      }
      remember(store);
      List<Settlement> settlements = settlements();
      settlements.forEach(settlement -> open.add(settlement.claim().key()));
      for (Held held : store.settle(settlements)) {
        assertThat(held).isEqualTo(Held.HELD);
      }
      remember(store);
    }

    private List<Settlement> settlements() {
      List<Settlement> settlements = new ArrayList<>();
      for (ClaimRecord record : held()) {
        Duration retention = Duration.ofSeconds(1 + random.nextInt(100));
        settlements.add(
            switch (random.nextInt(4)) {
              case 0 -> new Settlement.Fail(claim(record), "no", retention);
              case 1 ->
                  new Settlement.Release(
                      claim(record), Duration.ZERO, Settlement.Attempts.KEEP, retention);
              default -> new Settlement.Complete(claim(record), result(), retention);
            });
      }
      return settlements;
    }

    private List<ClaimRecord> held() {
      return known.values().stream()
          .filter(record -> !record.state().isSettled() && random.nextInt(3) == 0)
          .toList();
    }

    private static Claim claim(ClaimRecord record) {
      return new Claim(record.scope(), LocalView.keyOf(record), record.token(), record.attempt());
    }

    private void renew(LocalEngine store) {
      List<Renewal> renewals = new ArrayList<>();
      for (ClaimRecord record : held()) {
        renewals.add(new Renewal(claim(record), Duration.ofSeconds(20), new byte[] {1}));
        open.add(record.key());
      }
      assertThat(store.renew(renewals)).allMatch(Held.HELD::equals);
      remember(store);
    }

    private void transaction(LocalEngine store) {
      Transaction transaction = store.begin();
      try {
        List<ClaimRequest> requests = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
          requests.add(request(freshKey()));
        }
        byte[] value = {(byte) random.nextInt(), (byte) random.nextInt()};
        transaction.claim(requests);
        transaction.settle(settlements());
        transaction.note("position", value);
        if (random.nextInt(3) == 0) {
          return;
        }
        requests.forEach(request -> open.add(request.key()));
        known.keySet().forEach(open::add); // some of them were settled
        openNote = value;
        transaction.commit();
        note = value;
        openNote = null;
      } finally {
        transaction.close();
      }
      remember(store);
    }

    /** The call was answered: what the store says now, it must say for ever. */
    private void remember(LocalEngine store) {
      for (Key key : open) {
        store
            .find(SCOPE, key)
            .ifPresentOrElse(record -> know(key, record), () -> known.remove(key));
      }
      open.clear();
      openNote = null;
    }

    private void know(Key key, ClaimRecord record) {
      ClaimRecord before = known.put(key, record);
      if (before == null || !isSame(before, record)) {
        since.put(key, time.nanoTime());
      }
    }

    /** By the time that has really passed; the wall clock may have jumped. */
    private boolean isExpired(Key key, ClaimRecord record) {
      long passed = (time.nanoTime() - since.get(key)) / 1_000_000;
      return record.state().isSettled()
          && passed >= record.expiresAtMillis() - record.updatedAtMillis();
    }

    /** Compares what the store says with what it has answered. */
    private void check(LocalEngine store) {
      int changed = 0;
      int unchanged = 0;
      for (Key key : open) {
        Optional<ClaimRecord> found = store.find(SCOPE, key);
        boolean same = isAsBefore(key, found);
        changed += same ? 0 : 1;
        unchanged += same ? 1 : 0;
      }
      if (openNote == null && !open.isEmpty()) {
        assertThat(changed == 0 || unchanged == 0).as("all or nothing: %s", open).isTrue();
      }
      known.forEach(
          (key, record) -> {
            Optional<ClaimRecord> found = store.find(SCOPE, key);
            if (open.contains(key)) {
              found.ifPresent(it -> assertThat(it.token()).isGreaterThanOrEqualTo(record.token()));
            } else if (!isExpired(key, record)) {
              assertThat(found.filter(it -> isSame(record, it)))
                  .as(() -> key + " was " + text(record) + ", is " + found.map(History::text))
                  .isPresent();
            }
          });
      byte[] foundNote = store.note("position").orElse(new byte[0]);
      if (openNote == null || !Arrays.equals(openNote, foundNote)) {
        assertThat(foundNote).isEqualTo(note);
      }
      note = foundNote;
      remember(store);
    }

    /** What has expired may be there or not: the store's clock stands still while it is closed. */
    private boolean isAsBefore(Key key, Optional<ClaimRecord> found) {
      ClaimRecord before = known.get(key);
      return found.isEmpty()
          ? before == null || isExpired(key, before)
          : before != null && isSame(before, found.get());
    }

    /** Compares all, the checkpoints' bytes too, which a record compares as two objects. */
    private static boolean isSame(ClaimRecord one, ClaimRecord other) {
      return Arrays.equals(one.checkpoint(), other.checkpoint())
          && withoutCheckpoint(one).equals(withoutCheckpoint(other));
    }

    private static ClaimRecord withoutCheckpoint(ClaimRecord of) {
      return new ClaimRecord(
          of.scope(),
          of.key(),
          of.state(),
          of.token(),
          of.requestId(),
          of.attempt(),
          of.leaseUntilMillis(),
          of.notBeforeMillis(),
          of.expiresAtMillis(),
          of.lapse(),
          of.fingerprint(),
          of.result(),
          null,
          of.owner(),
          of.createdAtMillis(),
          of.updatedAtMillis());
    }

    /** Says all of a record, the checkpoint's bytes too. */
    private static String text(ClaimRecord record) {
      byte[] checkpoint = record.checkpoint();
      return record.toString().replaceAll("\\[B@[0-9a-f]+", Arrays.toString(checkpoint));
    }
  }
}
