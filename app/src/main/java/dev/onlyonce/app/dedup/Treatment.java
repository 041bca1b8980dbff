package dev.onlyonce.app.dedup;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What is done with records that cannot be de-duplicated.
 *
 * @param kind what is done
 * @param file where they go, if they go to a file
 */
public record Treatment(Kind kind, @Nullable Path file) {

  /** The run ends with an error that names the record. */
  public static final Treatment FAIL = new Treatment(Kind.FAIL, null);

  /** They are passed on as they came. */
  public static final Treatment PASS = new Treatment(Kind.PASS, null);

  /** The ways. */
  public enum Kind {
    /** Refuse. */
    FAIL,
    /** Pass on. */
    PASS,
    /** Put aside. */
    FILE
  }

  /** They go to this file. */
  public static Treatment file(Path path) {
    return new Treatment(Kind.FILE, path);
  }

  /** Reads {@code fail}, {@code pass} or the name of a file. */
  public static Treatment parse(String text) {
    return switch (text) {
      case "fail" -> FAIL;
      case "pass" -> PASS;
      default -> file(Path.of(text));
    };
  }
}
