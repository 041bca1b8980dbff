package dev.onlyonce.planted.internal;

/** Lives in a package that is not null-marked, and is nobody else's business. */
public final class Secret {
  private Secret() {}

  public static String word() {
    return "secret";
  }
}
