package dev.onlyonce.store.redis.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is said of servers: each remark is one sentence, with the names of all of which it is true.
 * For one thread.
 */
final class Remarks {

  private final Map<Remark, Set<String>> servers = new LinkedHashMap<>();

  /**
   * @param isReplica whether it is about replicas
   * @param one the verb after one name
   * @param many the verb after several
   * @param rest what comes then
   */
  private record Remark(boolean isReplica, String one, String many, String rest) {}

  /** Notes that a server has something. */
  void has(String server, boolean isReplica, String rest) {
    add(server, new Remark(isReplica, "has", "have", rest));
  }

  /** Notes that a server does not do something. */
  void doesNot(String server, boolean isReplica, String rest) {
    add(server, new Remark(isReplica, "does not", "do not", rest));
  }

  private void add(String server, Remark remark) {
    servers.computeIfAbsent(remark, it -> new TreeSet<>()).add(server);
  }

  List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    servers.forEach((remark, names) -> sentences.add(sentence(remark, List.copyOf(names))));
    return sentences;
  }

  private static String sentence(Remark remark, List<String> names) {
    int last = names.size() - 1;
    boolean isOne = last == 0;
    String all =
        isOne
            ? names.get(0)
            : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    String kind = remark.isReplica ? isOne ? ", a replica," : ", replicas," : "";
    return all + kind + " " + (isOne ? remark.one : remark.many) + " " + remark.rest;
  }
}
