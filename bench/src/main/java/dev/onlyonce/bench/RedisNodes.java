package dev.onlyonce.bench;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.RedisClient;

/** The servers that are measured, all of them: of a cluster the replicas, too. */
record RedisNodes(List<String> uris) {

  /** Forgets everything. */
  void empty() {
    for (String uri : uris) {
      try (RedisClient node = RedisClient.create(uri)) {
        if (node.info("replication").contains("role:master")) {
          node.flushAll();
        }
      }
    }
  }

  /** Returns the processor's time that they have taken so far. */
  long cpuNanos() {
    return Math.round(1e9 * (sum("cpu", "used_cpu_user") + sum("cpu", "used_cpu_sys")));
  }

  /** Returns how much memory their data takes; a replica's copy counts as well. */
  long bytes() {
    return Math.round(sum("memory", "used_memory"));
  }

  /** Returns the version of the first. */
  String version() {
    try (RedisClient node = RedisClient.create(uris.get(0))) {
      return told(node.info("server"), "redis_version");
    }
  }

  private double sum(String section, String name) {
    double sum = 0;
    for (String uri : uris) {
      try (RedisClient node = RedisClient.create(uri)) {
        sum += Double.parseDouble(told(node.info(section), name));
      }
    }
    return sum;
  }

  private static String told(String info, String name) {
    Matcher line = Pattern.compile("(?m)^" + name + ":(\\S+)").matcher(info);
    if (!line.find()) {
      throw new IllegalStateException("the server does not tell its " + name);
    }
    return line.group(1);
  }
}
