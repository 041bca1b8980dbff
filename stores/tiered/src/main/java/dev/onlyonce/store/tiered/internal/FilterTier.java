package dev.onlyonce.store.tiered.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.Key;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.filter.OverFullException;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.RecordId;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Knows keys that were never done, so that the fast store need not be asked for a copy. It spares a
 * look-up and decides nothing: a key that another process has done is asked of the authority.
 *
 * <p>Until all keys of the authority are in it, every key may be known. Loading that fails goes on
 * where it failed, a pause later; each pause is twice as long as the one before, up to a bound. A
 * filter that is over-full, or whose keys cannot be had at all, is not used any more: that is told
 * once, and stays its trouble. Safe for use by several threads.
 */
final class FilterTier {

  private static final System.Logger LOG = System.getLogger(FilterTier.class.getName());
  private static final String REMEDY = "; make it for more keys, or scalable";
  private static final int PAGE = 1_000;
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
  private static final Query DONE = Query.all(PAGE).of(Set.of(ClaimState.DONE));

  private final KeyFilter filter;
  private final ClaimReader authority;
  private final ScheduledThreadPoolExecutor loader;
  private volatile @Nullable String trouble = "its keys are being loaded";
  private volatile boolean ends;

  /** Whether it is useless for good. */
  private volatile boolean useless;

  // Of the loader alone.
  private Duration pause;
  private boolean failed;
  private @Nullable String cursor;

  /**
   * @param pause how long after a failure loading goes on, at first
   */
  FilterTier(KeyFilter filter, ClaimReader authority, Duration pause) {
    this.filter = filter;
    this.authority = authority;
    this.pause = pause;
    this.loader =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread made = new Thread(work, "onlyonce-filter");
              made.setDaemon(true);
              return made;
            });
    loader.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Starts to load the keys that are done. */
  void load() {
    loader.execute(this::run);
  }

  private void run() {
    try {
      readAll();
      if (!ends) {
        loaded();
        loader.shutdown();
      }
    } catch (OverFullException e) {
      giveUp(e.getMessage() + REMEDY);
    } catch (IllegalStateException e) {
      giveUp(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      tryLater(e);
    }
  }

  private void readAll() {
    do {
      Page page = authority.list(DONE, cursor);
      for (ClaimRecord each : page.records()) {
        Key key = each.key();
        if (key == null) {
          throw new IllegalStateException("the database keeps no keys: leave the filter out");
        }
        filter.putHash(hash(new RecordId(each.scope(), key)));
      }
      cursor = page.next();
    } while (cursor != null && !ends && !useless);
  }

  private synchronized void loaded() {
    if (useless) {
      return;
    }
    trouble = null;
    if (failed) {
      LOG.log(Level.INFO, "the keys of the filter are loaded, and it is used from now on");
    }
  }

  private synchronized void giveUp(String why) {
    if (useless) {
      return;
    }
    useless = true;
    trouble = "it is not used any more: " + why;
    LOG.log(Level.WARNING, "of the filter: " + trouble);
    loader.shutdown();
  }

  private synchronized void tryLater(RuntimeException e) {
    if (useless || ends) {
      return;
    }
    trouble =
        "its keys could not be loaded, which goes on in %,d ms: %s"
            .formatted(pause.toMillis(), e.getMessage());
    LOG.log(failed ? Level.DEBUG : Level.WARNING, "of the filter: " + trouble);
    failed = true;
    var unused = loader.schedule(this::run, pause.toNanos(), TimeUnit.NANOSECONDS);
    Duration twice = pause.multipliedBy(2);
    pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  @Nullable String trouble() {
    return trouble;
  }

  /** Returns false if the key is certainly not one that was added, and all were loaded. */
  boolean mayKnow(RecordId id) {
    return trouble != null || filter.mightContainHash(hash(id));
  }

  /** Adds a key that is done. */
  void add(RecordId id) {
    try {
      filter.putHash(hash(id));
    } catch (OverFullException e) {
      giveUp(e.getMessage() + REMEDY);
    }
  }

  /** The scope has no zero byte in it, so scope and key cannot run together. */
  private long hash(RecordId id) {
    byte[] scope = id.scope().name().getBytes(US_ASCII);
    byte[] bytes = new byte[scope.length + 1 + id.key().length()];
    System.arraycopy(scope, 0, bytes, 0, scope.length);
    id.key().copyTo(bytes, scope.length + 1);
    return filter.hash(bytes);
  }

  /** Ends the loading; a page at hand may still be under way. */
  synchronized void close() {
    ends = true;
    loader.shutdown();
  }
}
