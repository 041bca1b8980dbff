package dev.onlyonce;

import java.util.regex.Pattern;

/**
 * The consumer or operation that a key belongs to; the same key in two scopes is two keys.
 *
 * <p>Two consumer groups that share a store have two scopes, so that each of them handles the
 * message. Immutable and safe for use by several threads.
 *
 * @param name 1 to 128 characters out of {@code A-Z a-z 0-9 . _ / -}
 */
public record Scope(String name) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._/-]{1,128}");

  /**
   * @throws IllegalArgumentException if the name breaks the rule above
   */
  public Scope {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "scope must be 1 to 128 characters out of A-Z a-z 0-9 . _ / -, was '" + name + "'");
    }
  }

  /** Returns the scope of that name. */
  public static Scope of(String name) {
    return new Scope(name);
  }

  @Override
  public String toString() {
    return name;
  }
}
