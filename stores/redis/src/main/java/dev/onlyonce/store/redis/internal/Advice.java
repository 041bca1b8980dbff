package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.RedisFindings.Server;

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
   * Adds a remark for each setting by which the server forgets.
   *
   * @throws StoreException if it evicts keys
   */
  void give(Remarks remarks) {
    if (server.version().equals(UNKNOWN)) {
      doesNot(
          remarks,
          "let us read INFO: whether there are replicas is not known, so set clockTolerance yourself,"
              + " or let the user call it (ACL SETUSER ... +info)");
    }
    String policy = server.maxmemoryPolicy();
    if (policy != null && !policy.equals(SAFE_POLICY)) {
      throw new StoreException(
          Kind.REJECTED,
          server.address()
              + (isReplica ? ", a replica," : "")
              + " has maxmemory-policy "
              + policy
              + ", by which it throws away keys when its memory is full, and a key of Redis holds"
              + " the claims of a whole shard: set maxmemory-policy noeviction");
    }
    if (policy == null || server.appendonly() == null || server.appendfsync() == null) {
      doesNot(
          remarks,
          "let us read settings (CONFIG is barred), so that they are unknown: let the user call it (ACL"
              + " SETUSER ... +config|get), or see to it yourself that maxmemory-policy is noeviction,"
              + " appendonly yes and appendfsync always");
      return;
    }
    if ("no".equals(server.appendonly())) {
      has(remarks, withoutFile());
    } else {
      onSyncing(remarks);
    }
    onReplicas(remarks);
  }

  private void has(Remarks remarks, String rest) {
    remarks.has(server.address(), isReplica, rest);
  }

  private void doesNot(Remarks remarks, String rest) {
    remarks.doesNot(server.address(), isReplica, rest);
  }

  private String withoutFile() {
    return server.replicas() == 0
        ? "appendonly no: after a restart, keys that were done since the last snapshot are new; set"
            + " appendonly yes"
        : "appendonly no: one that is started again before another has taken its place is empty or as"
            + " old as its last snapshot, and so are its replicas with it; set appendonly yes";
  }

  private void onReplicas(Remarks remarks) {
    Integer least = server.minReplicasToWrite();
    Integer lag = server.minReplicasMaxLag();
    if (least == null || lag == null) {
      return;
    }
    if (least == 0 || lag == 0) {
      if (isReplica || server.replicas() > 0) {
        has(
            remarks,
            (least == 0 ? "min-replicas-to-write 0" : "min-replicas-max-lag 0")
                + ": a master that is cut off goes on answering, and what it answers is lost when a"
                + " replica takes over; set min-replicas-to-write to 1, min-replicas-max-lag to "
                + SAFE_LAG_SECONDS
                + ", and waitForReplicas in the store");
      }
    } else if (lag > SAFE_LAG_SECONDS) {
      has(
          remarks,
          "min-replicas-max-lag "
              + lag
              + ": a master that is cut off goes on answering for about "
              + lag
              + " seconds, in which it and a replica that has taken over may both grant a key; set it"
              + " to "
              + SAFE_LAG_SECONDS
              + ", and waitForReplicas in the store");
    }
  }

  private void onSyncing(Remarks remarks) {
    if (!"always".equals(server.appendfsync())) {
      has(
          remarks,
          "appendfsync "
              + server.appendfsync()
              + ": a loss of power takes the last moments, whose keys are new; set appendfsync"
              + " always if that may not be");
    }
    if ("yes".equals(server.noAppendfsyncOnRewrite())) {
      has(
          remarks,
          "no-appendfsync-on-rewrite yes: while the append-only file is rewritten or a snapshot written"
              + " nothing is synced, and a loss of power takes all of that time; set it to no");
    }
  }
}
