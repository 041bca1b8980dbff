package dev.onlyonce.store.redis.internal;

import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What servers that are no cluster say of themselves when all are asked: which is the master.
 * Immutable.
 *
 * @param master the only one, null if there is none or they are several
 * @param run by which the master's process is known
 * @param conflict why none can be taken, null if one can
 * @param warnings sentences for a human
 */
record Standing(
    @Nullable Node master, String run, @Nullable String conflict, List<String> warnings) {

  static final Standing UNKNOWN = new Standing(null, "", null, List.of());

  /**
   * What one of them says.
   *
   * @param run a name of its process; two addresses of one server have the same
   * @param history a name of the data's history, which a replica has from its master; empty if it
   *     is not told
   */
  record Seed(Node node, boolean isMaster, String run, String history, boolean isAttached) {}

  static Seed ask(Node node, Link link) throws LinkException {
    String info = Question.info(link, "replication");
    String run = runOf(link);
    return new Seed(
        node,
        Question.told(info, "role", "master").equals("master"),
        run.isEmpty() ? node.toString() : run,
        Question.told(info, "master_replid", ""),
        Question.told(info, "master_link_status", "up").equals("up"));
  }

  /** Returns the name of a server's process, nothing if it does not tell it. */
  static String runOf(Link link) throws LinkException {
    return Question.told(Question.info(link, "server"), "run_id", "");
  }

  /** Tells whether a process is the master's, as far as it tells. */
  boolean isMaster(String process) {
    return process.isEmpty() || process.equals(run);
  }

  static Standing of(List<Seed> seeds, List<Node> silent) {
    Map<String, Seed> masters = new LinkedHashMap<>();
    seeds.stream().filter(Seed::isMaster).forEach(it -> masters.putIfAbsent(it.run, it));
    if (masters.isEmpty()) {
      return UNKNOWN;
    }
    if (masters.size() > 1) {
      String both =
          masters.values().stream()
              .map(it -> it.node.toString())
              .collect(Collectors.joining(" and "));
      return new Standing(
          null,
          "",
          both
              + " each say that they are the master, and none of them can be taken, since it may lack"
              + " what another has answered: find out which one replaced the other, and make the"
              + " other its replica (REPLICAOF) or end it",
          List.of());
    }
    Seed master = masters.values().iterator().next();
    List<String> warnings = new ArrayList<>();
    silent.forEach(it -> warnings.add(ofSilent(it, master.node)));
    seeds.stream()
        .filter(it -> !it.isMaster && !follows(it, master))
        .forEach(it -> warnings.add(ofStranger(it.node, master.node)));
    return new Standing(master.node, master.run, null, List.copyOf(warnings));
  }

  private static boolean follows(Seed replica, Seed master) {
    return replica.isAttached && replica.history.equals(master.history);
  }

  private static String ofSilent(Node silent, Node master) {
    return silent
        + " does not answer, and "
        + master
        + " is taken for the only master: where programs reach the first and not the second, both"
        + " grant the same keys, unless min-replicas-to-write is 1 on both";
  }

  private static String ofStranger(Node stranger, Node master) {
    return stranger
        + " is no replica of "
        + master
        + ", or not in step with it: where it takes over, what it lacks is new; make it follow"
        + " (REPLICAOF), or do not name it";
  }
}
