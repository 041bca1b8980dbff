package dev.onlyonce.store.tiered;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.filter.KeyFilter;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.RecordSink;
import dev.onlyonce.spi.RecordSource;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreClock;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.TierCounts;
import dev.onlyonce.store.tiered.internal.AuthorityReader;
import dev.onlyonce.store.tiered.internal.Pairing;
import dev.onlyonce.store.tiered.internal.Settings;
import dev.onlyonce.store.tiered.internal.Tier;
import dev.onlyonce.store.tiered.internal.TieredEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A claim store of several tiers: a filter, a near cache in this process, a fast store (in practice
 * Redis) and a database, of which one is the {@link Authority}.
 *
 * <p><b>Guarantee.</b> The authority alone says that a key is new and gives tokens. A tier above it
 * answers only that a key is done, or was done with another payload, and only from a copy that was
 * made after the authority had that durably. With {@link Authority#DATABASE} the guarantee is the
 * database's, whatever the fast store loses. With {@link Authority#REDIS} it is the fast store's,
 * and the database has what it is rebuilt from: all that was settled but the last, which {@link
 * TieredStatistics.Behind} counts.
 *
 * <p><b>What an operator changes</b> (a claim that expects a token) is seen at once by all that ask
 * the authority or the fast store, and after the near cache's time by the others. It is made
 * through a tiered store: made in the database directly, it is hidden by copies for as long as they
 * are kept.
 *
 * <p><b>In one process</b>, of calls that want the same key at the same time one asks the
 * authority; if it is granted the key, the others are told so without asking.
 *
 * <p><b>Thread-safety.</b> Any number of threads. It has some daemon threads of its own.
 *
 * <p><b>Failure.</b> {@link StoreException}, of the authority; of another tier never, with two
 * exceptions: a database behind that does not keep up makes claims wait, then refuses them as
 * UNAVAILABLE, and never a settlement; and a record that is done is not opened (UNAVAILABLE) while
 * a fast store that may have a copy does not answer or is full. REJECTED, from then on, when a fast
 * store that is the authority is found to have lost something, or the tiers were made anew.
 */
public final class TieredStore
    implements ClaimStore, ClaimReader, RecordSource, StoreClock, TierCounts {

  private final TieredEngine engine;

  private TieredStore(TieredEngine engine) {
    this.engine = engine;
  }

  /** Starts to open a store with this authority. */
  public static Builder with(Authority authority) {
    return new Builder(authority);
  }

  /**
   * Returns the authority of the tiers that a store says it is one of; nothing if it is of none.
   * Where that is {@link Authority#REDIS}, neither store may be used alone: what is settled would
   * not be in the other one.
   *
   * @throws StoreException if the store cannot be asked, or is of tiers of a later version
   */
  public static Optional<Authority> authorityOf(RecordSource store) {
    return Pairing.authority(store);
  }

  /**
   * Looks at tiers without opening them: nothing is written, and no thread is started.
   *
   * @param database the database
   * @param records the authority: the database, or the fast store
   * @return the authority's records, without those that the tiers keep for themselves
   * @throws StoreException REJECTED if another tier is the authority, or the stores do not belong
   *     together, or the authority has lost something
   */
  public static <R extends ClaimReader & RecordSource> ClaimReader look(
      Authority authority, RecordSource database, R records) {
    return AuthorityReader.of(authority, database, records);
  }

  /** Returns what the tiers did in this process until now. */
  public TieredStatistics statistics() {
    return engine.statistics();
  }

  @Override
  public List<TierCount> tierCounts() {
    return engine.tiers().stream()
        .map(it -> new TierCount(it.name(), it.keys(), it.answered(), it.failures()))
        .toList();
  }

  /** Returns the authority's time. */
  @Override
  public long millis() {
    return engine.millis();
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    return engine.claim(batch);
  }

  @Override
  public List<Held> settle(List<? extends Settlement> batch) {
    return engine.settle(batch);
  }

  @Override
  public List<Held> settleFree(List<? extends Settlement> batch) {
    return engine.settleFree(batch);
  }

  @Override
  public int maxResultBytes() {
    return engine.maxResultBytes();
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return engine.renew(batch);
  }

  /** Purges the authority. The other store is purged every minute by a thread of this one's. */
  @Override
  public int purge(int limit) {
    return engine.purge(Limits.requirePositive("limit", limit));
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return engine.find(List.of(new RecordId(scope, key))).get(0);
  }

  /** Looks at the authority's records. */
  @Override
  public List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    return engine.find(ids);
  }

  /** Lists the authority's records. */
  @Override
  public Page list(Query query, @Nullable String cursor) {
    return engine.reader().list(query, cursor);
  }

  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return engine.reader().history(scope, key);
  }

  /** Counts the authority's records. */
  @Override
  public Map<ClaimState, Long> totals() {
    return engine.reader().totals();
  }

  @Override
  public Set<Scope> scopes() {
    return engine.reader().scopes();
  }

  /**
   * Writes what waits for a database behind, at most as long as was set, and closes all tiers. What
   * cannot be written in time is told in the log and counted as dropped.
   */
  @Override
  public void close() {
    engine.close();
  }

  /**
   * Settings of a tiered store. A database is needed; a near cache or a fast store as well, since
   * the database alone needs no tiers. Defaults:
   *
   * <ul>
   *   <li>near cache: none; with one, entries are good for 10 seconds
   *   <li>fast store: none; copies in it are good for 1 hour
   *   <li>filter: none
   *   <li>a call of the fast store is slow from 250 milliseconds on; after three of them in a row,
   *       or one that fails, it is left alone, and tried again every second
   *   <li>margin for the authority's clock: 1 second
   *   <li>keys that wait for a database behind: 100,000; a claim waits 10 seconds for room, closing
   *       waits 30 seconds for them to be written
   * </ul>
   */
  public static final class Builder {

    private static final long LEAST_NEAR_BYTES = 1 << 16;
    private static final int LEAST_BOUND = 1_000;

    private final Settings settings;

    /** What was set that is about copies in a fast store alone. */
    private final List<String> setOfCopies = new ArrayList<>();

    private boolean isBehindSet;

    private Builder(Authority authority) {
      this.settings = new Settings(Objects.requireNonNull(authority));
    }

    /**
     * Sets the database. It is closed with this store, once that is open. With {@link
     * Authority#REDIS} it is one that was opened to be a tier, as {@code JdbcStore}'s builder says
     * it.
     */
    public <S extends ClaimStore & ClaimReader & RecordSource & RecordSink & StoreClock>
        Builder database(S store) {
      settings.database = Tier.of(store);
      return this;
    }

    /**
     * Sets how the fast store is opened: when this store is, and again when it was found to be
     * another than before. It should fail soon, not wait for a server that does not answer. With
     * {@link Authority#REDIS} it is opened to be a tier, as {@code RedisStore}'s builder says it.
     */
    public <S extends ClaimStore & ClaimReader & RecordSource & RecordSink & StoreClock>
        Builder fast(Supplier<S> opening) {
      settings.fast = () -> Tier.of(opening.get());
      return this;
    }

    /**
     * Sets how long a copy in the fast store is good: for so long, at the most, it may hide what
     * was changed in the database directly.
     *
     * <p>Only with {@link Authority#DATABASE} and a fast store.
     *
     * @param longest at most 24 hours
     */
    public Builder copiesKeptFor(Duration longest) {
      if (longest.compareTo(Settings.LONGEST_COPY) > 0) {
        throw new IllegalArgumentException(
            "time of copies must be at most 24 hours, was " + longest);
      }
      setOfCopies.add("copiesKeptFor(...)");
      settings.copyKeep = Limits.requirePositive("time of copies", longest);
      return this;
    }

    /**
     * Sets from when on a call of the fast store is slow. Only with {@link Authority#DATABASE} and
     * a fast store.
     */
    public Builder slowFrom(Duration duration) {
      setOfCopies.add("slowFrom(...)");
      settings.slow = Limits.requirePositive("slow", duration);
      return this;
    }

    /**
     * Sets how often a fast store is tried again that was left alone, and how soon, at first, a
     * filter whose keys could not be loaded. Only with {@link Authority#DATABASE} and a fast store.
     */
    public Builder retryAfter(Duration pause) {
      setOfCopies.add("retryAfter(...)");
      settings.retryAfter = Limits.requirePositive("pause", pause);
      return this;
    }

    /**
     * Adds a cache of keys that are done in this process.
     *
     * @param maxBytes about how much memory it takes, at least 65,536
     * @param keep how long an entry is good: for so long, at the most, it may hide what an operator
     *     has changed through another process
     */
    public Builder near(long maxBytes, Duration keep) {
      if (maxBytes < LEAST_NEAR_BYTES) {
        throw new IllegalArgumentException(
            "near cache must have at least 65,536 bytes, had " + maxBytes);
      }
      settings.nearBytes = maxBytes;
      settings.nearKeep = Limits.requirePositive("time of the near cache", keep);
      return this;
    }

    /** As {@link #near(long, Duration)}, for 10 seconds. */
    public Builder near(long maxBytes) {
      return near(maxBytes, settings.nearKeep);
    }

    /**
     * Adds a filter, which spares the fast store the look-ups of keys that were never done. It is
     * filled from the database in the background and used when that is done. Where that fails it
     * goes on later. A filter that is over-full is not used any more, which {@link
     * TieredStore#statistics} and the log tell; one that is scalable grows.
     *
     * <p>Only with {@link Authority#DATABASE} and a fast store.
     */
    public Builder filter(KeyFilter filter) {
      settings.filter = Objects.requireNonNull(filter);
      return this;
    }

    /**
     * Sets how much before its expiry a copy is no longer used, since the authority's clock is read
     * only now and then, and the nodes of a cluster have one each.
     */
    public Builder clockMargin(Duration margin) {
      settings.clockMargin = Limits.requireNotNegative("clock margin", margin);
      return this;
    }

    /**
     * Sets how many settled keys wait to be written to a database behind, and how long a claim
     * waits for room. What was claimed while there was room is settled without, beyond that number.
     *
     * <p>Only with {@link Authority#REDIS}.
     *
     * @param keys at least 1,000
     */
    public Builder behind(int keys, Duration patience) {
      if (keys < LEAST_BOUND) {
        throw new IllegalArgumentException("keys behind must be at least 1,000, were " + keys);
      }
      isBehindSet = true;
      settings.behindBound = keys;
      settings.behindPatience = Limits.requireNotNegative("patience", patience);
      return this;
    }

    /** Sets how long {@link TieredStore#close} waits for what is to be written. */
    public Builder closeWithin(Duration longest) {
      settings.closePatience = Limits.requirePositive("time to close", longest);
      return this;
    }

    /**
     * Opens the store.
     *
     * @throws IllegalStateException if the tiers make no sense together, or something was set that
     *     they do not use
     * @throws StoreException REJECTED if the stores were made with another authority, do not belong
     *     together, or a fast store that is the authority has lost something; UNAVAILABLE if the
     *     authority, or the database, does not answer
     */
    public TieredStore open() {
      check();
      if (settings.fast == null && settings.nearBytes == 0) {
        throw new IllegalStateException(
            "a tiered store needs a near cache or Redis: without, use the database itself");
      }
      return new TieredStore(TieredEngine.open(settings));
    }

    /**
     * Makes the tiers anew from what the database has, while nobody uses them: the one way to
     * change the authority, to go on after a fast store that is the authority has lost something,
     * and to do without all copies that there are. With {@link Authority#REDIS} the fast store must
     * be empty, and all records of the database are copied there; what it had not got yet is new
     * again, and so are keys that were claimed. The stores are not open afterwards, the database
     * still is.
     *
     * <p>A tiered store that was left open is refused from its next look at the database on, about
     * a second later, as REJECTED; what it grants until then the other tiers do not know.
     *
     * @return how many records were copied
     * @throws IllegalStateException if the tiers make no sense together
     * @throws StoreException REJECTED if the fast store is not empty, or its clock is behind the
     *     tokens that were given out
     */
    public long rebuild() {
      check();
      return TieredEngine.rebuild(settings);
    }

    private void check() {
      if (settings.database == null) {
        throw new IllegalStateException("a tiered store needs a database: call database(...)");
      }
      if (settings.authority == Authority.REDIS) {
        checkFront();
      } else {
        checkDatabase();
      }
    }

    private void checkFront() {
      if (settings.fast == null) {
        throw new IllegalStateException(
            "authority 'redis, database behind' needs Redis: call fast(...)");
      }
      if (settings.filter != null) {
        throw new IllegalStateException(
            "a filter spares look-ups, and with authority 'redis, database behind' there are none"
                + " before the claim: leave the filter out");
      }
      if (!setOfCopies.isEmpty()) {
        throw new IllegalStateException(
            setOfCopies.get(0)
                + " is about copies in Redis, and with authority 'redis, database behind'"
                + " there are none: leave it out");
      }
    }

    private void checkDatabase() {
      if (isBehindSet) {
        throw new IllegalStateException(
            "behind(...) is about a database behind, and with authority 'database' it is in front:"
                + " leave it out");
      }
      if (settings.fast != null) {
        return;
      }
      if (settings.filter != null) {
        throw new IllegalStateException(
            "a filter spares Redis look-ups, and there is none: leave the filter out");
      }
      if (!setOfCopies.isEmpty()) {
        throw new IllegalStateException(
            setOfCopies.get(0)
                + " is about copies in Redis, and there is none: call fast(...) or leave it"
                + " out");
      }
    }
  }
}
