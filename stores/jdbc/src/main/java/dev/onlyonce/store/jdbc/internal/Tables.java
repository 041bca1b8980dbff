package dev.onlyonce.store.jdbc.internal;

import java.util.regex.Pattern;

/**
 * The names of a store's tables: a prefix and what is in them.
 *
 * @param prefix what each name begins with
 */
public record Tables(String prefix) {

  /** The prefix unless another one is chosen. */
  public static final String DEFAULT = "onlyonce_";

  private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9_]{0,39}");

  /**
   * @throws IllegalArgumentException if the prefix is not a plain name in small letters
   */
  public Tables {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "table prefix must be 1 to 40 of a-z 0-9 _ and begin with a letter, was '"
              + prefix
              + "'");
    }
  }

  /** Returns what makes them, for who has the library and for who has the program alone. */
  String script() {
    return "the script of JdbcSchema, which onlyonce schema" + option() + " prints";
  }

  /** Returns what brings them from that version to the next, for the same. */
  String upgrade(int from) {
    return "the script of JdbcSchema.upgrade, which onlyonce schema --from "
        + from
        + option()
        + " prints";
  }

  private String option() {
    return prefix.equals(DEFAULT) ? "" : " --prefix " + prefix;
  }

  String claim() {
    return prefix + "claim";
  }

  String event() {
    return prefix + "event";
  }

  String position() {
    return prefix + "position";
  }

  String meta() {
    return prefix + "meta";
  }

  /** Returns the statement with the names in the places of <code>{claim}</code> and the others. */
  String in(String statement) {
    return statement
        .replace("{claim}", claim())
        .replace("{event}", event())
        .replace("{position}", position())
        .replace("{meta}", meta());
  }
}
