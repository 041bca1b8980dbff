package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.RedisFindings.Server;
import java.util.Set;

/**
 * What is to be said of the settings of a server.
 *
 * @param isReplica whether it is one now; it may take over
 */
record Advice(Server server, boolean isReplica) {

  /** The version of a server that does not tell it. */
  static final String UNKNOWN = "unknown";

  private static final String SAFE_POLICY = "noeviction";

  /** Replicas tell each second that they are there, so that one second would be too short. */
  private static final int SAFE_LAG_SECONDS = 2;

  /**
   * Adds a sentence for each setting by which the server forgets.
   *
   * @throws StoreException if it evicts keys
   */
  void give(Set<String> warnings) {
    if (server.version().equals(UNKNOWN)) {
      warnings.add(
          name()
              + " does not let us read INFO: whether it has replicas is not known, so set"
              + " clockTolerance yourself, or let the user call it (ACL SETUSER ... +info)");
    }
    String policy = server.maxmemoryPolicy();
    if (policy == null) {
      warnings.add(
          name()
              + " does not let us read its settings (CONFIG is barred): see to it yourself that"
              + " maxmemory-policy is noeviction and that it writes an append-only file");
      return;
    }
    if (!policy.equals(SAFE_POLICY)) {
      throw new StoreException(
          Kind.REJECTED,
          name()
              + " has maxmemory-policy "
              + policy
              + ", by which it throws away keys when its memory is full, and a key of Redis holds"
              + " the claims of a whole shard: set maxmemory-policy noeviction");
    }
    if ("no".equals(server.appendonly())) {
      warnings.add(withoutFile());
    } else {
      onSyncing(warnings);
    }
    onReplicas(warnings);
  }

  private String name() {
    return server.address() + (isReplica ? ", a replica," : "");
  }

  private String withoutFile() {
    if (server.replicas() == 0) {
      return name()
          + " has appendonly no: when it is started again, keys that were done since its last"
          + " snapshot are new; set appendonly yes";
    }
    return name()
        + " has appendonly no: when it is started again before another has taken its place, it is"
        + " empty or as old as its last snapshot, and so are its replicas with it; set appendonly"
        + " yes";
  }

  private void onReplicas(Set<String> warnings) {
    Integer least = server.minReplicasToWrite();
    Integer lag = server.minReplicasMaxLag();
    if (least == null || lag == null) {
      return;
    }
    if (least == 0 || lag == 0) {
      if (isReplica || server.replicas() > 0) {
        warnings.add(
            name()
                + (least == 0 ? " has min-replicas-to-write 0" : " has min-replicas-max-lag 0")
                + ": a master that is cut off goes on answering, and what it answers is lost when a"
                + " replica takes over; set min-replicas-to-write to 1, min-replicas-max-lag to "
                + SAFE_LAG_SECONDS
                + ", and waitForReplicas in the store");
      }
    } else if (lag > SAFE_LAG_SECONDS) {
      warnings.add(
          name()
              + " has min-replicas-max-lag "
              + lag
              + ": a master that is cut off goes on answering for about "
              + lag
              + " seconds, in which it and a replica that has taken over may both grant a key; set it"
              + " to "
              + SAFE_LAG_SECONDS
              + ", and waitForReplicas in the store");
    }
  }

  private void onSyncing(Set<String> warnings) {
    if (!"always".equals(server.appendfsync())) {
      warnings.add(
          name()
              + " has appendfsync "
              + server.appendfsync()
              + ": a loss of power takes the last moments, whose keys are new; set appendfsync"
              + " always if that may not be");
    }
    if ("yes".equals(server.noAppendfsyncOnRewrite())) {
      warnings.add(
          name()
              + " has no-appendfsync-on-rewrite yes: while it rewrites its append-only file or writes"
              + " a snapshot nothing is synced, and a loss of power takes all of that time; set it"
              + " to no");
    }
  }
}
