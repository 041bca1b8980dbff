package dev.onlyonce.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.spi.KeyHash;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The scopes that a memory store has met. Safe for use by several threads. */
final class MemoryScopes {

  /** How many scopes are numbered, and remembered for ever. */
  static final int MOST = 1 << 16;

  /**
   * A scope as a memory store knows it.
   *
   * @param number counted from 0; -1 for a scope that came after {@link #MOST} others
   * @param hash of the scope's keys
   */
  record Known(Scope scope, int number, KeyHash hash) {}

  private final KeyHash hash = KeyHash.random();
  private final ConcurrentHashMap<Scope, Known> known = new ConcurrentHashMap<>();
  private final List<Scope> scopes = new ArrayList<>();

  Known of(Scope scope) {
    Known found = known.get(scope);
    if (found != null) {
      return found;
    }
    return known.size() < MOST
        ? known.computeIfAbsent(scope, this::add)
        : new Known(scope, -1, hash.within(scope));
  }

  private Known add(Scope scope) {
    synchronized (scopes) {
      scopes.add(scope);
      return new Known(scope, scopes.size() - 1, hash.within(scope));
    }
  }

  Scope get(int number) {
    synchronized (scopes) {
      return scopes.get(number);
    }
  }
}
