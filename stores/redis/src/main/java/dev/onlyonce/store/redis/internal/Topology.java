package dev.onlyonce.store.redis.internal;

import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import dev.onlyonce.store.redis.internal.RedisPort.RedisError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Which node has which slot: one node all of them, or the masters of a cluster. Safe for use by
 * several threads.
 *
 * <p>A cluster agrees by itself on who its masters are, so one node that answers is enough. Several
 * servers that are no cluster do not: all of them are asked, and of two masters none is taken.
 */
final class Topology {

  private final RedisPort port;
  private final List<Node> seeds;
  private final AtomicReferenceArray<@Nullable Node> owners =
      new AtomicReferenceArray<>(Slots.COUNT);

  /** Nodes that did not answer when they were asked last: they are asked after all others. */
  private final Set<Node> silent = ConcurrentHashMap.newKeySet();

  /** How often there was a reason to look, and how many of these the last look has answered. */
  private final AtomicLong doubts = new AtomicLong(1);

  private volatile long looked;

  private volatile boolean cluster;
  private volatile Standing standing = Standing.UNKNOWN;

  /** Why the last look came to nothing. */
  private volatile String silence = "they are to be asked again";

  Topology(RedisPort port, List<Node> seeds) {
    this.port = port;
    this.seeds = seeds;
  }

  boolean isCluster() {
    return cluster;
  }

  /** Returns the node that has the slot, as far as is known; nobody while somebody is to look. */
  @Nullable Node ownerOf(int slot) {
    return isUnsure() ? null : owners.get(slot);
  }

  /** Returns why a slot has no owner. */
  String whyNone(int slot) {
    String conflict = standing.conflict();
    if (conflict != null) {
      return conflict;
    }
    return isUnsure()
        ? "none of " + seeds + " is known to be the master now: " + silence
        : "no node has slot " + slot + " of the cluster";
  }

  /** Returns why none of the servers can be taken for the master, null if one can. */
  @Nullable String conflict() {
    return standing.conflict();
  }

  /** Returns what is to be said of the servers that were named, beside the master. */
  List<String> warnings() {
    return standing.warnings();
  }

  /** Notes what a node has said of a slot. */
  void moved(int slot, Node owner) {
    owners.set(slot, owner);
  }

  /** Notes that a node did not answer. */
  void lost(Node node) {
    silent.add(node);
    doubt();
  }

  /** Notes that what is known may have changed, so that the next look is one that begins now. */
  void doubt() {
    doubts.incrementAndGet();
  }

  /**
   * Whether somebody is to look before a server is asked: one that was away may come back as the
   * master that it was, while another has become one.
   */
  boolean isUnsure() {
    return !cluster && seeds.size() > 1 && looked < doubts.get();
  }

  /**
   * Tells whether a connection that is new leads to the server that was looked at, and not to one
   * that was started in its place since.
   */
  boolean isSame(Link link) throws LinkException {
    return cluster || seeds.size() == 1 || standing.isMaster(Standing.runOf(link));
  }

  /** Returns the nodes that have slots. */
  Set<Node> masters() {
    Set<Node> masters = new TreeSet<>();
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      Node owner = owners.get(slot);
      if (owner != null) {
        masters.add(owner);
      }
    }
    return masters;
  }

  /**
   * Asks the nodes who has the slots, unless somebody did since there was a reason to. Those that
   * were silent before come last, since each of them may take the whole time-out. One that does not
   * let us in is as silent as one that is away, as long as another is the master.
   *
   * @throws LinkException if none knows; as refused if one of them does not let us in
   */
  void look() throws LinkException {
    long doubt = doubts.get();
    synchronized (this) {
      if (looked < doubt) {
        long answered = doubts.get();
        if (isAgreed()) {
          looked = answered;
        }
      }
    }
  }

  private boolean isAgreed() throws LinkException {
    Map<Node, LinkException> faults = new LinkedHashMap<>();
    List<Standing.Seed> answered = new ArrayList<>();
    for (Node each : candidates()) {
      try (Link link = port.link(each)) {
        if (isOfCluster(each, link)) {
          silent.remove(each);
          return true;
        }
        answered.add(Standing.ask(each, link, seeds.size() == 1));
        silent.remove(each);
      } catch (LinkException e) {
        silent.add(each);
        faults.put(each, e);
      }
    }
    Standing found = Standing.of(answered, faults);
    if (found.master() == null && found.conflict() == null) {
      throw nobody(answered.isEmpty(), faults.values());
    }
    take(found);
    return found.master() != null;
  }

  private List<Node> candidates() {
    Set<Node> all = new LinkedHashSet<>(cluster ? masters() : Set.of());
    all.addAll(seeds);
    Set<Node> last = Set.copyOf(silent);
    return all.stream().sorted(Comparator.comparing(last::contains)).toList();
  }

  /**
   * Returns why there is no master. That one does not let us in is final only if there was none
   * before, or none of them does: else another may be about to take over.
   */
  private LinkException nobody(boolean noneAnswered, Collection<LinkException> faults) {
    LinkException fault =
        faults.stream()
            .max(Comparator.comparing(LinkException::isRefused))
            .orElseGet(
                () ->
                    new LinkException(
                        "none of " + seeds + " is a master, all are replicas", false, null));
    silence = String.valueOf(fault.getMessage());
    boolean allRefuse = noneAnswered && faults.stream().allMatch(LinkException::isRefused);
    return standing.equals(Standing.UNKNOWN) || allRefuse
        ? fault
        : new LinkException(silence, false, fault);
  }

  /** Takes over what servers that are no cluster have said. */
  private void take(Standing found) {
    cluster = false;
    standing = found;
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      owners.set(slot, found.master());
    }
  }

  /** Asks a node for the slots of its cluster; tells whether it has one. */
  private boolean isOfCluster(Node node, Link link) throws LinkException {
    Object ranges = Question.ask(link, "CLUSTER", "SLOTS");
    if (ranges instanceof RedisError error && Faults.passes(error.code())) {
      throw new LinkException(node + " answered: " + error.message(), false, null);
    }
    if (!(ranges instanceof List<?> list)) {
      requireNone(node, link);
      return false;
    }
    if (list.isEmpty()) {
      throw new LinkException(node + " has no cluster around it", false, null);
    }
    cluster = true;
    learn(node, list);
    return true;
  }

  /**
   * A node of a cluster must not pass for a server alone: others have most of the slots, and clocks
   * of their own.
   */
  private static void requireNone(Node node, Link link) throws LinkException {
    if (Question.isOfCluster(link)) {
      throw new LinkException(
          node
              + " is of a cluster and does not let us ask who has its slots: let the user call it (ACL"
              + " SETUSER ... +cluster|slots +asking)",
          true,
          null);
    }
  }

  private void learn(Node asked, List<?> ranges) {
    for (Object each : ranges) {
      List<?> range = (List<?>) each;
      List<?> master = (List<?>) range.get(2);
      String host = Question.text(master.get(0));
      Node owner =
          new Node(host.isEmpty() ? asked.host() : host, Math.toIntExact((Long) master.get(1)));
      for (long slot = (Long) range.get(0); slot <= (Long) range.get(1); slot++) {
        owners.set((int) slot, owner);
      }
    }
  }
}
