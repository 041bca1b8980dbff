package dev.onlyonce.store.redis.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the servers are and who we are there. Its text has no secrets.
 *
 * @param seeds at least one
 */
public record RedisAddress(
    List<Node> seeds,
    @Nullable String user,
    @Nullable String password,
    boolean isTls,
    int database) {

  private static final int PORT = 6379;
  private static final int LARGEST_PORT = 65_535;

  /** Greedy before the at-sign: a password that is not encoded may have slashes and colons. */
  private static final Pattern SHAPE =
      Pattern.compile(
          "rediss?://(?:.*@)?(?<host>\\[[^]]*]|[^/:]*)(?::(?<port>[^/]*))?(?:/.*)?",
          Pattern.DOTALL);

  /**
   * Reads {@code redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]}; {@code rediss} is with TLS.
   *
   * @throws IllegalArgumentException if there is none, or one cannot be read, or they differ in
   *     more than host and port
   */
  public static RedisAddress of(List<String> uris) {
    if (uris.isEmpty()) {
      throw new IllegalArgumentException("uris must not be empty: name a server");
    }
    List<RedisAddress> all = uris.stream().map(RedisAddress::of).toList();
    RedisAddress first = all.get(0);
    List<Node> seeds = new ArrayList<>();
    for (RedisAddress each : all) {
      if (!each.with(first.seeds).equals(first)) {
        throw new IllegalArgumentException(
            "uris must differ in host and port only, so that any of them may be used: "
                + first
                + " and "
                + each);
      }
      seeds.addAll(each.seeds);
    }
    return first.with(seeds);
  }

  /** Returns the address of one server without TLS, of which nothing else is known. */
  public static RedisAddress of(String host, int port) {
    if (host.isBlank() || port < 1 || port > LARGEST_PORT) {
      throw new IllegalArgumentException(
          "host must not be blank and port must be 1 to 65,535, were '" + host + "' and " + port);
    }
    return new RedisAddress(List.of(new Node(host, port)), null, null, false, 0);
  }

  private static RedisAddress of(String text) {
    URI uri;
    try {
      uri = URI.create(text);
    } catch (IllegalArgumentException e) {
      // Its message has the whole text, and that may have a password.
      throw new IllegalArgumentException(fault(text) + ": " + FORM);
    }
    boolean isTls = "rediss".equals(uri.getScheme());
    int named = uri.getPort();
    if (uri.getHost() == null
        || named == 0
        || named > LARGEST_PORT
        || !(isTls || "redis".equals(uri.getScheme()))) {
      throw new IllegalArgumentException(fault(text) + ": " + FORM);
    }
    String[] login = login(uri.getRawUserInfo());
    String host = uri.getHost();
    host = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    int port = named < 0 ? PORT : named;
    return new RedisAddress(
        List.of(new Node(host, port)), login[0], login[1], isTls, database(uri.getPath()));
  }

  /** Without an at-sign behind a host: who hides passwords would hide what is between. */
  private static final String FORM =
      "it must be redis://HOST[:PORT][/DATABASE], or rediss:// for TLS, and a login goes before the host"
          + " as USER:PASSWORD and an at-sign, with special characters percent-encoded";

  /** Returns what is wrong with an address that cannot be read; it shows nothing of the login. */
  private static String fault(String text) {
    Matcher form = SHAPE.matcher(text);
    if (!form.matches()) {
      return "a Redis URI begins with redis:// or rediss://, this one does not";
    }
    if (form.group("host").isEmpty()) {
      return "a Redis URI names a host, this one does not";
    }
    String port = form.group("port");
    return port == null || isPort(port)
        ? "a Redis URI cannot be read"
        : "the port of a Redis URI must be 1 to 65,535, was '" + port + "'";
  }

  private static boolean isPort(String digits) {
    if (!digits.matches("[0-9]{1,5}")) {
      return digits.isEmpty(); // then it is the usual one
    }
    int number = Integer.parseInt(digits);
    return number >= 1 && number <= LARGEST_PORT;
  }

  private static @Nullable String[] login(@Nullable String userInfo) {
    if (userInfo == null) {
      return new @Nullable String[2];
    }
    int colon = userInfo.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("a Redis URI has a user without a password: " + FORM);
    }
    String user = colon == 0 ? null : decoded(userInfo.substring(0, colon));
    return new @Nullable String[] {user, decoded(userInfo.substring(colon + 1))};
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }

  private static int database(@Nullable String path) {
    if (path == null || path.length() <= 1) {
      return 0;
    }
    try {
      return requireDatabase(Integer.parseInt(path.substring(1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "database must be a number: the address ends in /NUMBER, and a password that has a slash is"
              + " written with %2F",
          e);
    }
  }

  private static int requireDatabase(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("database must not be negative, was " + number);
    }
    return number;
  }

  private RedisAddress with(List<Node> replacement) {
    return new RedisAddress(replacement, user, password, isTls, database);
  }

  /** Returns this address for another user. */
  public RedisAddress as(@Nullable String newUser, String newPassword) {
    return new RedisAddress(
        seeds, newUser, Objects.requireNonNull(newPassword, "password"), isTls, database);
  }

  /** Returns this address with another database. */
  public RedisAddress at(int number) {
    return new RedisAddress(seeds, user, password, isTls, requireDatabase(number));
  }

  @Override
  public String toString() {
    String login = user == null ? "" : user + "@";
    return (isTls ? "rediss://" : "redis://")
        + login
        + String.join(",", seeds.stream().map(Node::toString).toList())
        + (database == 0 ? "" : "/" + database);
  }
}
