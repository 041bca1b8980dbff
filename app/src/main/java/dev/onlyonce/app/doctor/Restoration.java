package dev.onlyonce.app.doctor;

import dev.onlyonce.Key;
import dev.onlyonce.app.Failure;
import dev.onlyonce.app.store.OpenStore;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * What must be done with a store that came back from a backup, before anybody uses it.
 *
 * <p>A key that was claimed when the backup was made may have been completed since, so that nobody
 * may run it again without a look: it is claimed with a larger token, by which late holders are
 * fenced, and left in doubt. Tokens go on from the store's time, so those of new claims are larger
 * than all that were given out before, unless that time is behind.
 */
public final class Restoration {

  private static final Query CLAIMED = Query.all(Limits.BATCH).of(Set.of(ClaimState.CLAIMED));

  private static final Duration MOST_BEHIND = Duration.ofSeconds(2);

  private Restoration() {}

  /**
   * Refuses a store whose clock is behind this machine's: tokens that were given out after the
   * backup are in no record, and new ones must be larger.
   */
  public static void requireClock(OpenStore store, Time here) {
    Duration behind = Duration.ofMillis(here.millis() - store.millis());
    if (behind.compareTo(MOST_BEHIND) > 0) {
      throw Failure.store(
          new StoreException(
              StoreException.Kind.REJECTED,
              "the store's clock is "
                  + behind.toSeconds()
                  + " seconds behind this machine's, so that new claims would get smaller tokens than"
                  + " those from before the restore, and late holders would pass for the newer ones:"
                  + " set the clocks right, and do it again"));
    }
  }

  /** Returns how many keys are claimed. */
  public static long count(OpenStore store) {
    return store.reader().totals().getOrDefault(ClaimState.CLAIMED, 0L);
  }

  /** Puts all keys that are claimed in doubt; returns how many these are. */
  public static long run(OpenStore store) {
    long parked = 0;
    String cursor = null;
    do {
      Page page = store.reader().list(CLAIMED, cursor);
      parked += park(store, page.records());
      cursor = page.next();
    } while (cursor != null);
    return parked;
  }

  private static long park(OpenStore store, List<ClaimRecord> records) {
    List<ClaimRequest> requests = new ArrayList<>(records.size());
    for (ClaimRecord record : records) {
      @Nullable Key key = record.key();
      requests.add(
          ClaimRequest.of(
                  record.scope(),
                  Objects.requireNonNull(key, "every store keeps the keys that are claimed"),
                  ThreadLocalRandom.current().nextLong(),
                  Duration.ofMillis(1),
                  Lapse.PARK)
              .expecting(record.token()));
    }
    return requests.isEmpty()
        ? 0
        : store.claims().claim(requests).stream().filter(Answer.Claimed.class::isInstance).count();
  }
}
