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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Knows keys that were never done, so that the fast store need not be asked for a copy. It spares a
 * look-up and decides nothing: a key that another process has done is asked of the authority.
 *
 * <p>Until all keys of the authority are in it, and for good if they cannot be had, every key may
 * be known. Safe for use by several threads.
 */
final class FilterTier {

  private static final System.Logger LOG = System.getLogger(FilterTier.class.getName());
  private static final int PAGE = 1_000;

  private final KeyFilter filter;
  private final ClaimReader authority;
  private volatile @Nullable String trouble = "its keys are being loaded";
  private volatile boolean ends;

  FilterTier(KeyFilter filter, ClaimReader authority) {
    this.filter = filter;
    this.authority = authority;
  }

  /** Starts to load the keys that are done. */
  void load() {
    Thread loader = new Thread(this::run, "onlyonce-filter");
    loader.setDaemon(true);
    loader.start();
  }

  private void run() {
    try {
      Query done = Query.all(PAGE).of(Set.of(ClaimState.DONE));
      String cursor = null;
      do {
        Page page = authority.list(done, cursor);
        for (ClaimRecord each : page.records()) {
          Key key = each.key();
          if (key == null) {
            throw new IllegalStateException("the database keeps no keys: leave the filter out");
          }
          filter.putHash(hash(new RecordId(each.scope(), key)));
        }
        cursor = page.next();
      } while (cursor != null && !ends);
      trouble = null;
    } catch (RuntimeException e) {
      trouble = "its keys could not be loaded, it is not used: " + e.getMessage();
      LOG.log(Level.WARNING, "of the filter: " + trouble, e);
    }
  }

  @Nullable String trouble() {
    return trouble;
  }

  /** Returns false if the key is certainly not one that was added, and all were loaded. */
  boolean mayKnow(RecordId id) {
    return trouble != null || filter.mightContainHash(hash(id));
  }

  /** Adds a key that is done. A filter that is full stays right: it knows the key as never done. */
  void add(RecordId id) {
    try {
      filter.putHash(hash(id));
    } catch (OverFullException e) {
      trouble = "it is over-full and not used: " + e.getMessage();
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

  void close() {
    ends = true;
  }
}
