package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.store.redis.internal.RedisPort.Link;
import dev.onlyonce.store.redis.internal.RedisPort.LinkException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A single command that asks a server about itself. */
final class Question {

  private Question() {}

  /** Returns the reply, as {@link Link#receive} does. */
  static @Nullable Object ask(Link link, String... words) throws LinkException {
    link.send(Arrays.stream(words).map(it -> it.getBytes(UTF_8)).toArray(byte[][]::new));
    link.flush();
    return link.receive();
  }

  /** Returns a section of INFO, nothing if the server does not let us see it. */
  static String info(Link link, String section) throws LinkException {
    return text(ask(link, "INFO", section));
  }

  /** Tells whether a server says that it is a node of a cluster. */
  static boolean isOfCluster(Link link) throws LinkException {
    return told(info(link, "cluster"), "cluster_enabled", "0").equals("1");
  }

  /** Returns what a reply says, nothing if it is no text. */
  static String text(@Nullable Object reply) {
    return reply instanceof byte[] bytes ? new String(bytes, UTF_8) : "";
  }

  /** Returns a value out of INFO. */
  static String told(String info, String name, String otherwise) {
    Matcher line =
        Pattern.compile("^" + Pattern.quote(name) + ":([^\r\n]+)", Pattern.MULTILINE).matcher(info);
    return line.find() ? line.group(1) : otherwise;
  }
}
