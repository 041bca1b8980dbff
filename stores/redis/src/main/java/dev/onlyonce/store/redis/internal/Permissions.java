package dev.onlyonce.store.redis.internal;

import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.StoreException.Kind;
import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import dev.onlyonce.store.redis.internal.RedisPort.RedisError;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Asks servers for the commands that a store needs and the user may not run. Each is sent in a way
 * that changes nothing where it is allowed: on a key that is not there, or with a wrong number of
 * values, which a server looks at after the permission.
 */
final class Permissions {

  private final RedisPort port;
  private final String keys;
  private final List<String[]> commands = new ArrayList<>();

  Permissions(RedisPort port, RedisSettings settings) {
    this.port = port;
    this.keys = "~" + settings.prefix + ":*";
    String key = settings.prefix + ":permissions";
    add("EVAL", "return 1", "0");
    add("EVALSHA", "0".repeat(40), "0");
    add("TIME");
    add("EXISTS", key);
    add("HGET", key, "f");
    add("HMGET", key, "f");
    add("HGETALL", key);
    add("HLEN", key);
    add("HSCAN", key, "0");
    add("HSET", key, "f", "v", "without a value");
    add("HDEL", key, "f");
    if (settings.replicas > 0) {
      add("WAIT", "0", "1");
    }
  }

  private void add(String... command) {
    commands.add(command);
  }

  /**
   * Returns the rules that are missing, by server; one at which none is missing is not there.
   *
   * @throws StoreException if one cannot be asked
   */
  Map<String, List<String>> missing(Collection<Node> masters) {
    Map<String, List<String>> missing = new TreeMap<>();
    for (Node each : masters) {
      try (Link link = port.link(each)) {
        List<String> here = missing(link);
        if (!here.isEmpty()) {
          missing.put(each.toString(), here);
        }
      } catch (LinkException e) {
        throw new StoreException(
            Kind.UNAVAILABLE,
            "the permissions at " + each + " are not known: " + e.getMessage(),
            e);
      }
    }
    return missing;
  }

  private List<String> missing(Link link) throws LinkException {
    Set<String> missing = new LinkedHashSet<>();
    if (Question.isOfCluster(link)) {
      ask(link, new String[] {"ASKING"}, "+asking", missing); // it is about the next command only
      ask(link, new String[] {"CLUSTER", "SLOTS"}, "+cluster|slots", missing);
    }
    for (String[] command : commands) {
      ask(link, command, "+" + command[0].toLowerCase(Locale.ROOT), missing);
    }
    return List.copyOf(missing);
  }

  private void ask(Link link, String[] command, String rule, Set<String> missing)
      throws LinkException {
    if (Question.ask(link, command) instanceof RedisError error && error.code().equals("NOPERM")) {
      boolean isOfKeys = !error.message().contains(" to run ");
      missing.add(isOfKeys ? keys : rule);
    }
  }
}
