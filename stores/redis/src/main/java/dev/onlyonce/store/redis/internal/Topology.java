package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import dev.onlyonce.store.redis.internal.RedisPort.RedisError;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Which node has which slot: one node all of them, or the masters of a cluster. Safe for use by
 * several threads.
 */
final class Topology {

  private final RedisPort port;
  private final List<Node> seeds;
  private final AtomicReferenceArray<@Nullable Node> owners =
      new AtomicReferenceArray<>(Slots.COUNT);

  /** Nodes that did not answer when they were asked last: they are asked after all others. */
  private final Set<Node> silent = ConcurrentHashMap.newKeySet();

  private volatile boolean cluster;

  Topology(RedisPort port, List<Node> seeds) {
    this.port = port;
    this.seeds = seeds;
  }

  boolean isCluster() {
    return cluster;
  }

  /** Returns the node that has the slot, as far as is known. */
  @Nullable Node ownerOf(int slot) {
    return owners.get(slot);
  }

  /** Notes what a node has said of a slot. */
  void moved(int slot, Node owner) {
    owners.set(slot, owner);
  }

  /** Notes that a node did not answer. */
  void lost(Node node) {
    silent.add(node);
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
   * Asks the nodes, one after the other, until one knows; those that were silent before come last,
   * since each of them may take the whole time-out.
   *
   * @throws LinkException if none does
   */
  synchronized void look() throws LinkException {
    LinkException fault = null;
    for (Node each : candidates()) {
      try {
        boolean knows = ask(each);
        silent.remove(each);
        if (knows) {
          return;
        }
        fault = new LinkException(each + " is a replica, or has no cluster around it", false, null);
      } catch (LinkException e) {
        if (e.isRefused()) {
          throw e;
        }
        lost(each);
        fault = e;
      }
    }
    throw Objects.requireNonNull(fault, "an address has at least one node");
  }

  private List<Node> candidates() {
    Set<Node> all = new LinkedHashSet<>(masters());
    all.addAll(seeds);
    Set<Node> last = Set.copyOf(silent);
    return all.stream().sorted(Comparator.comparing(last::contains)).toList();
  }

  private boolean ask(Node node) throws LinkException {
    Object ranges;
    Object role;
    try (Link link = port.link(node)) {
      ranges = ask(link, "CLUSTER", "SLOTS");
      role = ranges instanceof RedisError ? ask(link, "ROLE") : null;
    }
    if (ranges instanceof List<?> list) {
      cluster = true;
      return learn(node, list);
    }
    if (ranges instanceof RedisError error && Faults.passes(error.code())) {
      throw new LinkException(node + " answered: " + error.message(), false, null);
    }
    if (role instanceof List<?> list && !text(list.get(0)).equals("master")) {
      return false;
    }
    cluster = false;
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      owners.set(slot, node);
    }
    return true;
  }

  private boolean learn(Node asked, List<?> ranges) {
    for (Object each : ranges) {
      List<?> range = (List<?>) each;
      List<?> master = (List<?>) range.get(2);
      String host = text(master.get(0));
      Node owner =
          new Node(host.isEmpty() ? asked.host() : host, Math.toIntExact((Long) master.get(1)));
      for (long slot = (Long) range.get(0); slot <= (Long) range.get(1); slot++) {
        owners.set((int) slot, owner);
      }
    }
    return !ranges.isEmpty();
  }

  private static @Nullable Object ask(Link link, String... words) throws LinkException {
    link.send(Arrays.stream(words).map(it -> it.getBytes(US_ASCII)).toArray(byte[][]::new));
    link.flush();
    return link.receive();
  }

  private static String text(@Nullable Object reply) {
    return reply instanceof byte[] bytes ? new String(bytes, UTF_8) : "";
  }
}
