package dev.onlyonce.store.redis.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimMachine;
import dev.onlyonce.spi.ClaimReader.Page;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.RecordId;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.RedisCompactTier;
import dev.onlyonce.store.redis.RedisFindings;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A store that is open. Safe for use by several threads. */
public final class RedisEngine implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(RedisEngine.class.getName());

  /** What was said already: each sentence once a process, and so many in all. */
  private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

  private static final int MOST_WARNINGS = 100;

  /** How far the clock of a replica may be behind that of the master whose place it takes. */
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  private final int maxResultBytes;
  private final RedisPort port;
  private final RedisFindings findings;
  private final ScopeNames scopes;
  private final ClaimVerb claims;
  private final SettleVerb settlements;
  private final RenewVerb renewals;
  private final FindVerb finds;
  private final PutVerb puts;
  private final Purging purging;
  private final @Nullable RedisCompactTier compactTier;
  private final Listing listing;
  private volatile boolean closed;

  private RedisEngine(RedisPort port, RedisFindings findings, Shop shop) {
    this.port = port;
    this.findings = findings;
    Duration tolerance = tolerance(shop.settings(), findings);
    this.maxResultBytes = shop.settings().maxResultBytes;
    this.scopes = shop.scopes();
    this.claims = new ClaimVerb(shop, tolerance, shop.settings().owner);
    this.settlements = new SettleVerb(shop);
    this.renewals = new RenewVerb(shop);
    this.finds = new FindVerb(shop);
    this.puts = new PutVerb(shop);
    this.purging = new Purging(shop);
    CompactTier tier = shop.tier();
    this.compactTier = tier == null ? null : tier.told(shop.shards());
    ClaimMachine machine = new ClaimMachine(tolerance, shop.settings().owner);
    this.listing = new Listing(shop, machine);
  }

  /** Opens the store that is there, or makes one. */
  public static RedisEngine open(RedisAddress address, RedisSettings settings) {
    return open(address, settings, opening -> Optional.of(opening.open())).orElseThrow();
  }

  /** Opens the store if there is one, and writes nothing. */
  public static Optional<RedisEngine> openIfThere(RedisAddress address, RedisSettings settings) {
    return open(address, settings, Opening::openIfThere);
  }

  private static Optional<RedisEngine> open(
      RedisAddress address, RedisSettings settings, Function<Opening, Optional<Shop>> way) {
    RedisPort port = new JedisPort(address, settings);
    Optional<RedisEngine> opened = Optional.empty();
    try {
      Topology topology = new Topology(port, address.seeds());
      RedisFindings findings = look(port, topology, address, settings.prefix);
      if (settings.warns) {
        findings.warnings().forEach(RedisEngine::warnOnce);
      }
      int newShards = topology.isCluster() ? RedisSettings.SHARDS_OF_CLUSTER : 1;
      Dispatcher dispatcher = new Dispatcher(port, topology, settings);
      opened =
          way.apply(new Opening(settings, newShards, dispatcher))
              .map(shop -> new RedisEngine(port, findings, shop));
      return opened;
    } finally {
      if (opened.isEmpty()) {
        port.close();
      }
    }
  }

  /** Looks at the servers. */
  public static RedisFindings look(RedisAddress address, RedisSettings settings) {
    try (RedisPort port = new JedisPort(address, settings)) {
      return look(port, new Topology(port, address.seeds()), address, settings.prefix);
    }
  }

  /** Asks the masters which rules of their ACL the user lacks. */
  public static Map<String, List<String>> missingRules(
      RedisAddress address, RedisSettings settings) {
    try (RedisPort port = new JedisPort(address, settings)) {
      Topology topology = new Topology(port, address.seeds());
      Permissions permissions = new Permissions(port, settings);
      try {
        look(topology, address);
      } catch (StoreException e) {
        if (e.kind() != Kind.REJECTED) {
          throw e;
        }
        return missingAt(address.seeds(), permissions, e);
      }
      return permissions.missing(topology.masters());
    }
  }

  /** Returns what is missing where the masters are not told; that may be the reason. */
  private static Map<String, List<String>> missingAt(
      List<Node> seeds, Permissions permissions, StoreException why) {
    Map<String, List<String>> missing = Map.of();
    try {
      missing = permissions.missing(seeds);
    } catch (StoreException e) {
      why.addSuppressed(e); // what was told first is nearer to the cause
    }
    if (missing.isEmpty()) {
      throw why;
    }
    return missing;
  }

  private static void warnOnce(String sentence) {
    if (WARNED.size() < MOST_WARNINGS && WARNED.add(sentence)) {
      LOG.log(Level.WARNING, sentence);
    }
  }

  private static Duration tolerance(RedisSettings settings, RedisFindings findings) {
    Duration chosen = settings.clockTolerance;
    if (chosen != null) {
      return chosen;
    }
    boolean mayChange = findings.servers().stream().anyMatch(it -> it.replicas() > 0);
    return findings.cluster() || mayChange ? TOLERANCE : Duration.ZERO;
  }

  private static RedisFindings look(
      RedisPort port, Topology topology, RedisAddress address, String prefix) {
    look(topology, address);
    return new Probe(port, prefix).look(topology);
  }

  private static void look(Topology topology, RedisAddress address) {
    try {
      topology.look();
    } catch (LinkException e) {
      throw new StoreException(
          e.isRefused() ? Kind.REJECTED : Kind.UNAVAILABLE,
          "no store can be opened at " + address + ": " + e.getMessage(),
          e);
    }
    String conflict = topology.conflict();
    if (conflict != null) {
      throw new StoreException(
          Kind.UNAVAILABLE, "no store can be opened at " + address + ": " + conflict);
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new StoreException(Kind.CLOSED, "the Redis store has been closed");
    }
  }

  public List<Answer> claim(List<ClaimRequest> batch) {
    checkOpen();
    scopes.number(batch, ClaimRequest::scope);
    return claims.run(batch);
  }

  public List<Held> settle(List<? extends Settlement> batch) {
    checkOpen();
    return settlements.run(batch);
  }

  public int maxResultBytes() {
    return maxResultBytes;
  }

  public List<Held> renew(List<Renewal> batch) {
    checkOpen();
    return renewals.run(batch);
  }

  /** Returns the time of a server, milliseconds since the epoch. */
  public long millis() {
    checkOpen();
    return listing.millis();
  }

  public int purge(int limit) {
    checkOpen();
    return purging.purge(limit);
  }

  public List<Optional<ClaimRecord>> find(List<RecordId> ids) {
    checkOpen();
    return finds.run(ids);
  }

  public List<Boolean> put(List<ClaimRecord> batch) {
    checkOpen();
    batch.forEach(PutVerb::keyOf);
    scopes.number(batch, ClaimRecord::scope);
    return puts.run(batch);
  }

  public Page list(Query query, @Nullable String cursor) {
    checkOpen();
    return listing.list(query, cursor);
  }

  public Map<ClaimState, Long> totals() {
    checkOpen();
    return listing.totals().states();
  }

  /** Returns the compact tier that the store was made with. */
  public Optional<RedisCompactTier> compactTier() {
    return Optional.ofNullable(compactTier);
  }

  public long compactKeys() {
    checkOpen();
    return listing.totals().compact();
  }

  public Set<Scope> scopes() {
    checkOpen();
    return scopes.all();
  }

  public RedisFindings findings() {
    return findings;
  }

  @Override
  public void close() {
    closed = true;
    port.close();
  }
}
