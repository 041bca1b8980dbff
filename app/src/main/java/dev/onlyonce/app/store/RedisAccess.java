package dev.onlyonce.app.store;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.store.redis.RedisCompactTier;
import dev.onlyonce.store.redis.RedisFindings;
import dev.onlyonce.store.redis.RedisStore;
import dev.onlyonce.store.tiered.TieredStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A store in Redis or Redis Cluster, which any number of programs may use at the same time.
 *
 * @param prefix what the names of its keys begin with
 */
record RedisAccess(String address, Credentials credentials, String prefix) implements StoreAccess {

  /** The prefix of a store that was made without one of its own. */
  static final String PREFIX = "onlyonce";

  private static final String CLUSTER = "-cluster";
  private static final int BYTES_PER_KEY = 96;
  private static final String SETTINGS = "settings";
  private static final String COMPACT_TIER = "compact tier";

  @Override
  public OpenReader look(Consumer<String> notices) {
    return preview();
  }

  @Override
  public OpenReader preview() {
    RedisStore store = alone(existing(it -> it));
    return new OpenReader(store, store::millis, store::close);
  }

  @Override
  public boolean isThere() {
    Optional<RedisStore> store = looking(it -> it).openIfThere();
    store.ifPresent(RedisStore::close);
    return store.isPresent();
  }

  @Override
  public OpenStore change(String owner) {
    RedisStore store = alone(open(owner, it -> it));
    return new OpenStore(store, store, store::millis, store::close);
  }

  @Override
  public void remakeLostShards() {
    // Without asTier(): the store looks for itself whether it decides for tiers, before it changes.
    there(asItIs("onlyonce", RedisStore.Builder::remakeLostShards)).close();
  }

  /** Returns this store unless it is the authority of tiers, which must be asked instead. */
  private RedisStore alone(RedisStore store) {
    if (TieredStore.authorityOf(store).isPresent()) {
      store.close();
      throw TieredAccess.refusedAlone(this);
    }
    return store;
  }

  @Override
  public List<Finding> examine(@Nullable Load load) {
    return examine(load, it -> it);
  }

  /** Examines the servers of a store with other settings. */
  List<Finding> examine(@Nullable Load load, UnaryOperator<RedisStore.Builder> settings) {
    List<Finding> findings = new ArrayList<>();
    Map<String, List<String>> missing = builder("onlyonce", settings).missingRules();
    missing.forEach((server, rules) -> findings.add(lacks(server, rules)));
    RedisFindings found;
    try {
      found = builder("onlyonce", settings).look();
    } catch (StoreException e) {
      if (missing.isEmpty()) {
        throw e;
      }
      return findings; // what is missing is why it cannot be looked at
    }
    for (RedisFindings.Server each : found.servers()) {
      findings.add(server(each));
    }
    found.warnings().forEach(it -> findings.add(Finding.unsafe(SETTINGS, it)));
    Optional<Finding> tier =
        missing.isEmpty()
            ? looking(settings).openIfThere().flatMap(RedisAccess::examineTier)
            : Optional.empty();
    tier.ifPresent(findings::add);
    if (load != null) {
      findings.add(window(found, load, tier.isPresent()));
    }
    return findings;
  }

  /** Tells whether a finding is about what makes the servers forget. */
  static boolean isOfSettings(Finding finding) {
    return finding.topic().equals(SETTINGS);
  }

  private static Finding server(RedisFindings.Server server) {
    List<String> settings = new ArrayList<>();
    boolean isTold = true;
    for (String each :
        Arrays.asList(server.maxmemoryPolicy(), server.appendonly(), server.appendfsync())) {
      isTold &= each != null;
      settings.add(each == null ? "unknown" : each);
    }
    return new Finding(
        isTold ? Finding.Level.OK : Finding.Level.NOTE,
        "server",
        String.format(
            Locale.ROOT,
            "%s, Redis %s, %s, maxmemory-policy %s, appendonly %s, appendfsync %s",
            server.address(),
            server.version(),
            Quantity.of(server.replicas(), "replica"),
            settings.get(0),
            settings.get(1),
            settings.get(2)));
  }

  private Finding lacks(String server, List<String> rules) {
    String told = credentials.user() == null ? userInfo().split(":", 2)[0] : credentials.user();
    String user = told.isEmpty() ? "default" : told;
    return new Finding(
        Finding.Level.BROKEN,
        "permissions",
        "%s may not do at %s what a store does to claim, settle and forget keys; ACL SETUSER %s %s"
            .formatted(user, server, user, String.join(" ", rules)));
  }

  private static Optional<Finding> examineTier(RedisStore opened) {
    try (RedisStore store = opened) {
      return store.compactTier().map(tier -> examineTier(tier, store.compactKeys()));
    }
  }

  private static Finding examineTier(RedisCompactTier tier, long keys) {
    String sentence =
        String.format(
            Locale.ROOT,
            "%,d keys are in it, it was made for %,d; keys move there %s after their completion",
            keys,
            tier.keys(),
            tier.after());
    return keys > tier.keys()
        ? Finding.note(
            COMPACT_TIER,
            sentence + ": claims become slower the more there are; make a larger store")
        : Finding.ok(COMPACT_TIER, sentence);
  }

  private static Finding window(RedisFindings found, Load load, boolean isCompact) {
    Duration window = found.window((double) load.keysPerSecond(), BYTES_PER_KEY).orElse(null);
    if (window == null) {
      return Finding.note(
          "window",
          "a server has no maxmemory: its memory ends where that of the machine does, and then it"
              + " is killed; set maxmemory");
    }
    String sentence =
        String.format(
            Locale.ROOT,
            "the memory holds what comes in %,.1f hours, %,.1f hours are to be remembered",
            window.toMinutes() / 60.0,
            load.retention().toMinutes() / 60.0);
    if (window.compareTo(load.retention()) >= 0) {
      return Finding.ok("window", sentence);
    }
    if (isCompact) {
      return Finding.note(
          "window",
          sentence
              + ", if each takes "
              + BYTES_PER_KEY
              + " bytes; those in the compact tier take 25, so look at the memory in use instead");
    }
    if (found.servers().stream().anyMatch(it -> it.records() == null)) {
      return Finding.note(
          "window",
          sentence
              + ", if nothing of what is in use is the store's: its records could not be counted");
    }
    return Finding.unsafe("window", sentence + ": what comes then is refused; give it more memory");
  }

  @Override
  public int bytesPerKey() {
    return BYTES_PER_KEY;
  }

  /** Opens the store with other settings, or makes it. */
  RedisStore open(String owner, UnaryOperator<RedisStore.Builder> settings) {
    return builder(owner, settings).open();
  }

  /** Opens the store with other settings, for looking; makes none. */
  RedisStore existing(UnaryOperator<RedisStore.Builder> settings) {
    return there(looking(settings));
  }

  /** Who looks at what is there need not be told what could make it forgotten. */
  private RedisStore.Builder looking(UnaryOperator<RedisStore.Builder> settings) {
    return builder("onlyonce", it -> settings.apply(it).withoutWarnings());
  }

  private RedisStore there(RedisStore.Builder builder) {
    return builder
        .openIfThere()
        .orElseThrow(
            () ->
                new StoreException(
                    StoreException.Kind.REJECTED,
                    "there is no store of OnlyOnce at "
                        + this
                        + " under the prefix "
                        + prefix
                        + ": look whether address, database and prefix are right; the first program"
                        + " that claims a key makes one"));
  }

  /** Whether it may be used alone is looked at here, in the words of the program. */
  private RedisStore.Builder builder(String owner, UnaryOperator<RedisStore.Builder> settings) {
    return asItIs(owner, it -> settings.apply(it.asTier()));
  }

  /**
   * Has the library read the address; nothing is connected to.
   *
   * @throws IllegalArgumentException if it cannot be used
   */
  void requireReadable() {
    String told = userInfo();
    RedisStore.at(uris(told.contains(":") ? told + "@" : ""));
  }

  private RedisStore.Builder asItIs(String owner, UnaryOperator<RedisStore.Builder> settings) {
    try {
      String told = userInfo();
      boolean hasPassword = told.contains(":");
      RedisStore.Builder builder =
          RedisStore.at(uris(hasPassword ? told + "@" : "")).prefix(prefix).owner(owner);
      if (credentials.user() != null && credentials.password() == null) {
        throw Failure.usage("--user needs a password: --password-file, or ONLYONCE_PASSWORD");
      }
      // The address goes before the environment, which may be meant for another server.
      if (credentials.password() != null && (!hasPassword || credentials.user() != null)) {
        String user = told.isEmpty() || hasPassword ? null : told;
        builder.login(
            credentials.user() == null ? user : credentials.user(), credentials.password());
      }
      return settings.apply(builder);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(this + " cannot be used: " + e.getMessage());
    }
  }

  /**
   * Returns a URI for each node.
   *
   * @param before user and password, the same for all
   */
  private String[] uris(String before) {
    String scheme = address.substring(0, address.indexOf("://")).replace(CLUSTER, "");
    int hosts = Math.max(address.indexOf("://") + 3, address.lastIndexOf('@') + 1);
    return Arrays.stream(address.substring(hosts).split(",", -1))
        .map(node -> scheme + "://" + before + node)
        .toArray(String[]::new);
  }

  /** Returns what stands before the hosts: a user, and a password behind a colon; or nothing. */
  private String userInfo() {
    int at = address.lastIndexOf('@');
    return at < 0 ? "" : address.substring(address.indexOf("://") + 3, at);
  }

  @Override
  public String toString() {
    return Credentials.hidden(address);
  }
}
