package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.onlyonce.spi.Limits;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import dev.onlyonce.store.redis.internal.RedisPort.RedisError;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls, each brought to its node once: one pipeline to each node, all nodes at the same time. For
 * one thread.
 */
final class Round {

  private static final byte[] ASKING = "ASKING".getBytes(US_ASCII);
  private static final byte[] WAIT = "WAIT".getBytes(US_ASCII);

  private final RedisPort port;
  private final Topology topology;
  private final RedisSettings settings;
  private final boolean insists;
  private final BooleanSupplier isTooLate;
  private final Set<Call> open = new LinkedHashSet<>();
  private @Nullable StoreException fault;
  private boolean over;
  private boolean pauses;
  private boolean looks;
  private boolean fails;
  private @Nullable Node denier;

  /**
   * @param insists whether calls that replicas did not get in time are made again
   * @param isTooLate whether calls may be sent no more
   */
  Round(
      RedisPort port,
      Topology topology,
      RedisSettings settings,
      boolean insists,
      BooleanSupplier isTooLate) {
    this.insists = insists;
    this.isTooLate = isTooLate;
    this.port = port;
    this.topology = topology;
    this.settings = settings;
  }

  /** The calls that have no answer yet. */
  List<Call> open() {
    return List.copyOf(open);
  }

  /** Whether all that is missing is a script or the way to the right node. */
  boolean isUnderWay() {
    return !open.isEmpty() && !fails;
  }

  /** What the caller is told if there is no other round. */
  @Nullable StoreException fault() {
    return fault;
  }

  /** Whether another round would not help. */
  boolean isOver() {
    return over;
  }

  /** Returns who may have ended it since the user lacks a permission there. */
  @Nullable Node denier() {
    return denier;
  }

  boolean mustPause() {
    return pauses;
  }

  boolean mustLook() {
    return looks;
  }

  void run(List<Call> calls) {
    List<Pipeline> pipelines = new ArrayList<>();
    try {
      byNode(calls).forEach((node, its) -> pipelines.add(new Pipeline(node, its)));
      pipelines.forEach(Pipeline::send);
      pipelines.forEach(Pipeline::receive);
    } finally {
      pipelines.forEach(Pipeline::close);
    }
  }

  private Map<Node, List<Call>> byNode(List<Call> calls) {
    Map<Node, List<Call>> byNode = new TreeMap<>();
    for (Call call : calls) {
      Node node = call.asked == null ? topology.ownerOf(call.slot) : call.asked;
      if (node == null) {
        mustLookAnew();
        again(call, Kind.UNAVAILABLE, topology.whyNone(call.slot));
      } else {
        byNode.computeIfAbsent(node, it -> new ArrayList<>()).add(call);
      }
    }
    return byNode;
  }

  private void mustLookAnew() {
    looks = true;
    topology.doubt();
  }

  private void again(Call call, Kind kind, String message) {
    open.add(call);
    call.doubt();
    pauses = true;
    fails = true;
    if (fault == null) {
      fault = new StoreException(kind, message);
    }
  }

  private void end(StoreException last) {
    fault = last;
    over = true;
  }

  private void take(Node node, Call call, @Nullable Object reply) {
    call.asked = null;
    if (!(reply instanceof RedisError error)) {
      call.answer(reply == null ? List.of() : reply);
      return;
    }
    switch (error.code()) {
      case "NOSCRIPT" -> call.byBody = true;
      case "MOVED" -> topology.moved(call.slot, target(node, error));
      case "ASK" -> call.asked = target(node, error);
      default -> {
        if (!Faults.passes(error.code())) {
          denier = Faults.mayBeDenial(error) ? node : null;
          end(Faults.told(node, error));
          return;
        }
        pauses = true;
        mustLookAnew();
        fails = true;
      }
    }
    open.add(call);
    if (fault == null) {
      fault = Faults.told(node, error);
    }
  }

  /**
   * Reads {@code MOVED 3999 127.0.0.1:6381}; without a host it is that of the node that said so.
   */
  private static Node target(Node node, RedisError error) {
    String address = error.message().substring(error.message().lastIndexOf(' ') + 1);
    int colon = address.lastIndexOf(':');
    String host = colon == 0 ? node.host() : address.substring(0, colon);
    return new Node(host, Integer.parseInt(address.substring(colon + 1)));
  }

  /** The calls of one node. */
  private final class Pipeline {
    private final Node node;
    private final List<Call> calls;
    private final boolean waits;
    private @Nullable Link link;
    private int taken;

    Pipeline(Node node, List<Call> calls) {
      this.node = node;
      this.calls = calls;
      this.waits = settings.replicas > 0 && calls.stream().anyMatch(it -> it.writes);
    }

    void send() {
      try {
        link = port.link(node);
        if (link.isNew() && !topology.isSame(link)) {
          throw new LinkException(
              node + " was started again, and may be the master no more", false, null);
        }
        if (isTooLate.getAsBoolean()) {
          tooLate();
          return;
        }
        for (Call call : calls) {
          if (call.asked != null) {
            link.send(ASKING);
          }
          link.send(call.command());
        }
        if (waits) {
          link.send(WAIT, ascii(settings.replicas), ascii(Limits.millis(settings.replicaTimeout)));
        }
        link.flush();
      } catch (LinkException e) {
        lost(e);
      }
    }

    void receive() {
      if (link == null) {
        return;
      }
      try {
        for (; taken < calls.size(); taken++) {
          Call call = calls.get(taken);
          if (call.asked != null) {
            link.receive();
          }
          take(node, call, link.receive());
        }
        if (waits) {
          checkReplicas(link.receive());
        }
      } catch (LinkException e) {
        lost(e);
      }
    }

    private void checkReplicas(@Nullable Object reply) {
      List<Call> answered = calls.stream().filter(it -> !open.contains(it)).toList();
      long reached = reply instanceof Long count ? count : 0;
      if (reached >= settings.replicas || answered.isEmpty()) {
        return;
      }
      answered.forEach(Call::doubt);
      if (over) {
        return;
      }
      if (reply instanceof RedisError error && Faults.mayBeDenial(error)) {
        denier = node;
        end(
            new StoreException(
                Kind.UNAVAILABLE,
                "what was asked is written at "
                    + node
                    + ", and it does not tell which replicas have it: "
                    + error.message()));
        return;
      }
      String message =
          "what was asked is written at "
              + node
              + " but "
              + reached
              + " of "
              + settings.replicas
              + " replicas had it within "
              + settings.replicaTimeout
              + ", so that a failover may lose it: ask again with the same request id";
      if (insists) {
        answered.forEach(it -> again(it, Kind.UNAVAILABLE, message));
      } else {
        end(new StoreException(Kind.UNAVAILABLE, message));
      }
    }

    private void tooLate() {
      String message = node + " was reached when the patience, " + settings.patience + ", was over";
      calls.forEach(it -> again(it, Kind.UNAVAILABLE, message));
      close();
    }

    private void lost(LinkException e) {
      String message = String.valueOf(e.getMessage());
      if (e.isRefused()) {
        end(new StoreException(Kind.REJECTED, message, e));
      }
      looks = true;
      topology.lost(node);
      // Without the replicas' word, what was answered already must be asked for again as well.
      for (Call call : calls.subList(waits ? 0 : taken, calls.size())) {
        call.asked = null;
        again(call, Kind.UNAVAILABLE, message);
      }
      close();
    }

    void close() {
      if (link != null) {
        link.close();
        link = null;
      }
    }
  }

  private static byte[] ascii(long number) {
    return Long.toString(number).getBytes(US_ASCII);
  }
}
