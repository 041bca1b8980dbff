package dev.onlyonce.store.redis.internal;

import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import dev.onlyonce.store.redis.internal.RedisPort.RedisError;
import java.util.ArrayList;
import java.util.Collection;
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
   * @param run a name of its process; two addresses of one server have the same; empty if it is not
   *     told
   * @param history a name of the data's history, which a replica has from its master; empty if it
   *     is not told
   */
  record Seed(Node node, boolean isMaster, String run, String history, boolean isAttached) {

    /** Returns the name of its process, or its own where that is not told. */
    private String name() {
      return run.isEmpty() ? node.toString() : run;
    }
  }

  /**
   * @param isAlone whether there is no other that could be the master
   * @throws LinkException if it does not tell whether it is
   */
  static Seed ask(Node node, Link link, boolean isAlone) throws LinkException {
    Object role = Question.ask(link, "ROLE");
    String info = Question.info(link, "replication");
    String history = Question.told(info, "master_replid", "");
    if (role instanceof List<?> words && !words.isEmpty()) {
      boolean isMaster = Question.text(words.get(0)).equals("master");
      boolean isAttached = words.size() > 3 && Question.text(words.get(3)).equals("connected");
      return new Seed(node, isMaster, runOf(link), history, isAttached);
    }
    String told = Question.told(info, "role", isAlone ? "master" : "");
    if (told.isEmpty()) {
      String why = role instanceof RedisError error ? error.message() : "nothing";
      throw new LinkException(
          node
              + " does not tell whether it is the master: let the user call ROLE and INFO (ACL SETUSER"
              + " ... +role +info); it answered: "
              + why,
          true,
          null);
    }
    boolean isAttached = Question.told(info, "master_link_status", "up").equals("up");
    return new Seed(node, told.equals("master"), runOf(link), history, isAttached);
  }

  /** Returns the name of a server's process, nothing if it does not tell it. */
  static String runOf(Link link) throws LinkException {
    return Question.told(Question.info(link, "server"), "run_id", "");
  }

  /** Tells whether a process is the master's, as far as it tells. */
  boolean isMaster(String process) {
    return process.isEmpty() || process.equals(run);
  }

  /**
   * @param seeds those that have answered
   * @param faults why others have not
   */
  static Standing of(List<Seed> seeds, Map<Node, LinkException> faults) {
    Map<String, Seed> masters = new LinkedHashMap<>();
    seeds.stream().filter(Seed::isMaster).forEach(it -> masters.putIfAbsent(it.name(), it));
    if (masters.isEmpty()) {
      return UNKNOWN;
    }
    if (masters.size() > 1) {
      return new Standing(null, "", conflict(masters.values()), List.of());
    }
    Seed master = masters.values().iterator().next();
    List<String> warnings = new ArrayList<>();
    faults.forEach((node, fault) -> warnings.add(ofSilent(node, fault, master.node)));
    seeds.stream()
        .filter(it -> !it.isMaster && !follows(it, master))
        .forEach(it -> warnings.add(ofStranger(it.node, master.node)));
    if (seeds.size() + faults.size() > 1) {
      seeds.stream().filter(it -> it.run.isEmpty()).forEach(it -> warnings.add(ofUnnamed(it.node)));
    }
    return new Standing(master.node, master.run, null, List.copyOf(warnings));
  }

  private static String conflict(Collection<Seed> masters) {
    String all =
        masters.stream().map(it -> it.node.toString()).collect(Collectors.joining(" and "))
            + " each say that they are the master, and ";
    if (masters.stream().filter(it -> !it.run.isEmpty()).count() < 2
        && masters.stream().anyMatch(it -> it.run.isEmpty())) {
      return all
          + "whether they are one server with several names or several masters cannot be told, since"
          + " INFO is barred: let the user call it (ACL SETUSER ... +info), or name each server once";
    }
    return all
        + "none of them can be taken, since it may lack what another has answered: find out which one"
        + " replaced the other, and make the other its replica (REPLICAOF) or end it";
  }

  private static boolean follows(Seed replica, Seed master) {
    boolean isTold = !replica.history.isEmpty() && !master.history.isEmpty();
    return replica.isAttached && (!isTold || replica.history.equals(master.history));
  }

  private static String ofUnnamed(Node node) {
    return node
        + " is known by its role only, since INFO is barred: that it was started again, or follows"
        + " another master, is not noticed; let the user call it (ACL SETUSER ... +info)";
  }

  private static String ofSilent(Node silent, LinkException fault, Node master) {
    String how =
        fault.isRefused()
            ? " does not let us in (" + fault.getMessage() + "), and "
            : " does not answer, and ";
    return silent
        + how
        + master
        + " is taken for the only master: where programs reach the first and not the second, both"
        + " grant the same keys; with min-replicas-to-write 1 on both, one that is cut off stops"
        + " after min-replicas-max-lag, which is 10 seconds unless it is set";
  }

  private static String ofStranger(Node stranger, Node master) {
    return stranger
        + " is no replica of "
        + master
        + ", or not in step with it: where it takes over, what it lacks is new; make it follow"
        + " (REPLICAOF), or do not name it";
  }
}
