package dev.onlyonce.store.redis;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
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
import dev.onlyonce.store.redis.internal.RedisAddress;
import dev.onlyonce.store.redis.internal.RedisEngine;
import dev.onlyonce.store.redis.internal.RedisSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A claim store in Redis or Redis Cluster: one packed record for each key, decided by a script on
 * the server, by the server's clock.
 *
 * <p><b>Guarantee.</b> Exact while the server remembers. What a server forgets (a restart without
 * an append-only file, the last writes before a failover) is forgotten here too, and its keys are
 * new; tokens grow nevertheless, unless the new clock is behind. {@link Builder#waitForReplicas}
 * makes answers wait until replicas have them. A shard that is lost is not taken for an empty one:
 * the store is refused until somebody decides.
 *
 * <p><b>One store, many processes.</b> All that open it share it. Its settings that must not change
 * are kept in Redis beside it.
 *
 * <p><b>Thread-safety.</b> Any number of threads, over a few connections to each node.
 *
 * <p><b>Failure.</b> {@link StoreException}: UNAVAILABLE when a server did not answer as long as
 * the patience lasts, or replicas did not in time; FULL at {@code maxmemory}, where new keys are
 * refused and claims that are held can still be settled; REJECTED when the server does not let us
 * in, or the store is another than was asked for, or was emptied while it was open.
 *
 * <p>docs/formats/redis.md draws what is kept.
 */
public final class RedisStore
    implements ClaimStore, ClaimReader, RecordSource, RecordSink, StoreClock {

  private final RedisEngine engine;

  private RedisStore(RedisEngine engine) {
    this.engine = engine;
  }

  /**
   * Opens the store at this address with the defaults, or makes it.
   *
   * @param uri {@code redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]}, or {@code rediss://} for
   *     TLS
   * @throws IllegalArgumentException if it cannot be read
   * @throws StoreException if the store cannot be opened
   */
  public static RedisStore open(String uri) {
    return at(uri).open();
  }

  /**
   * Starts to open the store at this address with other settings.
   *
   * @param uris as for {@link #open}: a server, or some nodes of a cluster
   * @throws IllegalArgumentException if one cannot be read
   */
  public static Builder at(String... uris) {
    return new Builder(RedisAddress.of(List.of(uris)));
  }

  /** Starts to open the store at this host and port with other settings. */
  public static Builder at(String host, int port) {
    return new Builder(RedisAddress.of(host, port));
  }

  /** Returns what was found out about the servers when the store was opened. */
  public RedisFindings findings() {
    return engine.findings();
  }

  /**
   * Returns the time by which the store decides, that of a server, in milliseconds since the epoch.
   * In a cluster each master has its own.
   */
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
  public int maxResultBytes() {
    return engine.maxResultBytes();
  }

  @Override
  public List<Held> renew(List<Renewal> batch) {
    return engine.renew(batch);
  }

  /**
   * Forgets records that are over, and moves some to the compact tier if there is one; a record
   * that moves counts, since the id of its request is forgotten.
   */
  @Override
  public int purge(int limit) {
    return engine.purge(Limits.requirePositive("limit", limit));
  }

  @Override
  public Optional<ClaimRecord> find(Scope scope, Key key) {
    return engine.find(List.of(new RecordId(scope, key))).get(0);
  }

  @Override
  public List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    return engine.find(ids);
  }

  /**
   * Writes records as they are. A result that is larger than the store's limit is kept all the
   * same.
   *
   * @throws StoreException REJECTED, with nothing done, if a record has no key or an unknown state
   */
  @Override
  public List<Boolean> put(List<ClaimRecord> batch) {
    return engine.put(batch);
  }

  @Override
  public Page list(Query query, @Nullable String cursor) {
    return engine.list(query, cursor);
  }

  /** Returns the current version only: Redis keeps no other. */
  @Override
  public List<ClaimRecord> history(Scope scope, Key key) {
    return find(scope, key).stream().toList();
  }

  /**
   * Returns the compact tier that the store was made with; its number of keys is what it has room
   * for, at least what was asked for.
   */
  public Optional<RedisCompactTier> compactTier() {
    return engine.compactTier();
  }

  /** Counts the keys in the compact tier, in steps, as {@link #totals} does. */
  public long compactKeys() {
    return engine.compactKeys();
  }

  /**
   * Counts all records, in steps: other callers are served in between. One that moves to the
   * compact tier meanwhile may be counted twice or not at all.
   */
  @Override
  public Map<ClaimState, Long> totals() {
    return engine.totals();
  }

  @Override
  public Set<Scope> scopes() {
    return engine.scopes();
  }

  @Override
  public void close() {
    engine.close();
  }

  /**
   * Settings of a Redis store. Defaults:
   *
   * <ul>
   *   <li>user, password and database: those of the address, else none and 0
   *   <li>prefix: {@code onlyonce}
   *   <li>shards: as the store has them; a new one 1 on a single server, 16 in a cluster
   *   <li>compact tier: as the store has it; a new one has none
   *   <li>owner: {@code redis}
   *   <li>purge grace: 10 minutes
   *   <li>clock tolerance: 2 seconds where another server can take over, in a cluster or with
   *       replicas; else zero
   *   <li>time-out of a connection and of each answer: 2 seconds
   *   <li>patience: 10 seconds
   *   <li>connections: 8 to each node
   *   <li>replicas that are waited for: none
   *   <li>largest result: 64 KiB
   *   <li>warnings about servers that forget: logged
   * </ul>
   */
  public static final class Builder {

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
    private static final int MOST_SHARDS = 1_024;

    private RedisAddress address;
    private final RedisSettings settings = new RedisSettings();

    private Builder(RedisAddress address) {
      this.address = address;
    }

    /** Sets who we are at the server; a user that is null is the server's default one. */
    public Builder login(@Nullable String user, String password) {
      address = address.as(user, password);
      return this;
    }

    /** Sets the number of the database, from 0. A cluster has only 0. */
    public Builder database(int number) {
      address = address.at(number);
      return this;
    }

    /**
     * Sets what the names of the store's Redis keys begin with. Stores with different prefixes have
     * nothing in common.
     *
     * @param prefix 1 to 64 characters out of {@code A-Z a-z 0-9 . _ : -}
     */
    public Builder prefix(String prefix) {
      if (!PREFIX.matcher(prefix).matches()) {
        throw new IllegalArgumentException(
            "prefix must be 1 to 64 characters out of A-Z a-z 0-9 . _ : -, was '" + prefix + "'");
      }
      settings.prefix = prefix;
      return this;
    }

    /**
     * Sets into how many Redis keys the records are split, from 1 to 1,024. A store that is there
     * and has another number is refused. Four or five for each master of a cluster spread the work;
     * on a single server more than one only costs, unless its data is to become a cluster's.
     */
    public Builder shards(int count) {
      if (count < 1 || count > MOST_SHARDS) {
        throw new IllegalArgumentException("shards must be 1 to 1,024, was " + count);
      }
      settings.shards = count;
      return this;
    }

    /**
     * Makes shards anew that are lost, instead of refusing the store: <b>every key that was in them
     * is new and may run again</b>. An operator's decision after a loss that cannot be restored,
     * for one opening, while nobody uses the store; not for every start of a program, unless the
     * store holds nothing but copies. A store that decides for tiers is refused all the same, and
     * so is one that has lost by what that is told, unless {@link #asTier} was said.
     */
    public Builder remakeLostShards() {
      settings.remakesLostShards = true;
      return this;
    }

    /**
     * Makes a new store with a compact tier: a key that has been done for this long, without result
     * and fingerprint, is kept in 25 bytes instead of 83 from then on. A store that is there and
     * was made with another or none is refused; one that was made with it is opened without this,
     * too. Programs of before there was a compact tier refuse it.
     *
     * <p>What it costs: each new key is looked for in the compact tier as well, so that claiming
     * takes the server about three times as long; a key may be remembered up to an hour longer than
     * its retention, and listings do not know its scope. A request that completes in the same step
     * and is repeated with its id after the move is answered as a duplicate, so the time must be
     * longer than anybody repeats one.
     *
     * @param after how long after its completion a key moves, when it is purged next; at least the
     *     patience and two time-outs of everybody who opens the store, unless his patience is zero.
     *     That is how long the store itself may repeat a request: nothing is sent again after the
     *     patience, however long it took to look for the server and to connect, and an answer is
     *     waited for a time-out; the second is for a server that halts within a batch
     * @param keys how many keys are expected in the tier. With more, claiming becomes slower, and
     *     from five times as many on some do not move
     * @throws IllegalArgumentException if the time is negative or the number is not positive
     */
    public Builder compactTier(Duration after, long keys) {
      settings.compactTier = new RedisCompactTier(after, keys);
      return this;
    }

    /** Sets the name that records show as their owner; at most 255 bytes of it are kept. */
    public Builder owner(String name) {
      settings.owner = name;
      return this;
    }

    /** Sets how long after its expiry a record is purged at the earliest. */
    public Builder purgeGrace(Duration grace) {
      settings.purgeGrace = Limits.requireNotNegative("purge grace", grace);
      return this;
    }

    /** Sets how much longer than its lease a claim is left alone. */
    public Builder clockTolerance(Duration tolerance) {
      settings.clockTolerance = Limits.requireNotNegative("clock tolerance", tolerance);
      return this;
    }

    /**
     * Sets how long a connection, each answer, and a connection that others have are waited for.
     *
     * @param longest positive, and at most 10 minutes
     */
    public Builder timeout(Duration longest) {
      settings.timeout = requireShort("timeout", longest);
      return this;
    }

    /**
     * Sets how long a call is made again when a server does not answer or is being replaced, before
     * it fails. With zero that is not done; only the way to the right node is looked for.
     */
    public Builder patience(Duration longest) {
      settings.patience = Limits.requireNotNegative("patience", longest);
      return this;
    }

    /** Sets how many connections to each node there are at the most. */
    public Builder connections(int count) {
      settings.connections = Limits.requirePositive("connections", count);
      return this;
    }

    /**
     * Answers only when so many replicas have what was written; else the call fails as UNAVAILABLE,
     * and what it wrote is in doubt. This narrows what a failover loses. It is no consensus: a
     * replica that has it not may still be the one that takes over.
     *
     * @param longest how long they are waited for; positive, and at most 10 minutes
     */
    public Builder waitForReplicas(int count, Duration longest) {
      settings.replicas = Limits.requirePositive("replicas", count);
      settings.replicaTimeout = requireShort("time for replicas", longest);
      return this;
    }

    /** Sets the largest result that is kept, in bytes; of a larger one it is kept that it was. */
    public Builder maxResultBytes(int bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException("largest result must not be negative, was " + bytes);
      }
      settings.maxResultBytes = bytes;
      return this;
    }

    private static Duration requireShort(String name, Duration duration) {
      Limits.requirePositive(name, duration);
      if (duration.compareTo(Duration.ofMinutes(10)) > 0) {
        throw new IllegalArgumentException(name + " must be at most 10 minutes, was " + duration);
      }
      return duration;
    }

    /**
     * Says that the store is handed to a tiered store. Without, one that has a database behind it
     * in a tiered store is refused, since it must not be used alone.
     */
    public Builder asTier() {
      settings.isTier = true;
      return this;
    }

    /**
     * Logs nothing about settings by which the servers forget: for who shows {@link
     * RedisStore#findings} himself, and for a store that holds nothing but copies.
     */
    public Builder withoutWarnings() {
      settings.warns = false;
      return this;
    }

    /**
     * Opens the store, or makes it.
     *
     * @throws StoreException UNAVAILABLE if no server answers, or two say that they are the master;
     *     REJECTED if none that is the master lets us in, one evicts keys when its memory is full,
     *     has another store there, has lost a part of it, has a compact tier that takes keys while
     *     we repeat their requests, or has a store with a database behind it, unless {@link
     *     #asTier} was said
     * @throws IllegalArgumentException if keys would move while their requests are repeated
     */
    public RedisStore open() {
      requireLongerThanRepeats();
      return new RedisStore(RedisEngine.open(address, settings));
    }

    private void requireLongerThanRepeats() {
      RedisCompactTier tier = settings.compactTier;
      Duration repeats = settings.repeats();
      if (tier != null && tier.after().compareTo(repeats) < 0) {
        throw new IllegalArgumentException(
            "the compact tier must take keys no earlier than patience and two time-outs after"
                + " their completion, which is "
                + repeats
                + ", was "
                + tier.after()
                + ": a request that is repeated until then would be taken for a duplicate");
      }
    }

    /**
     * Opens the store if there is one, and makes none; nothing is written, but lost shards if
     * {@link #remakeLostShards} was called.
     *
     * @return empty if there is no store under the prefix
     * @throws StoreException as {@link #open}
     */
    public Optional<RedisStore> openIfThere() {
      return RedisEngine.openIfThere(address, settings).map(RedisStore::new);
    }

    /**
     * Looks at the servers, whether there is a store or not; nothing is written.
     *
     * @throws StoreException UNAVAILABLE if no server answers; REJECTED if one does not let us in
     *     or evicts keys when its memory is full
     */
    public RedisFindings look() {
      return RedisEngine.look(address, settings);
    }

    /**
     * Asks each master whether its ACL lets the user do what a store does; nothing is written.
     *
     * @return by server, the rules that the user lacks, such as {@code +hdel}; a server at which it
     *     lacks none is not there
     * @throws StoreException as {@link #look}
     */
    public Map<String, List<String>> missingRules() {
      return RedisEngine.missingRules(address, settings);
    }
  }
}
