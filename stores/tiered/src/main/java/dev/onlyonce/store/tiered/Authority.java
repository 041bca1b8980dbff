package dev.onlyonce.store.tiered;

import java.util.Arrays;

/** The tier that says "new" and gives tokens. It is stored with the data. */
public enum Authority {
  /**
   * The database. The fast store holds copies of what is done; whatever it loses, nothing is
   * granted twice. New keys are no faster than the database.
   */
  DATABASE("database"),
  /**
   * The fast store, in practice Redis, with the database behind: what is settled is written there
   * later, in batches. What the fast store loses before that is new again.
   */
  REDIS("redis, database behind");

  private final String text;

  Authority(String text) {
    this.text = text;
  }

  /**
   * Returns the authority of this name: {@code database}, or {@code redis, database behind}.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Authority of(String text) {
    return Arrays.stream(values())
        .filter(it -> it.text.equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "authority must be 'database' or 'redis, database behind', was '"
                        + text
                        + "'"));
  }

  /** Returns the name by which it is written down. */
  @Override
  public String toString() {
    return text;
  }
}
