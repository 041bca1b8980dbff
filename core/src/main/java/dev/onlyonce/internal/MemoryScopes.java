package dev.onlyonce.internal;

import dev.onlyonce.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** Numbers the scopes that a memory store has met. Safe for use by several threads. */
final class MemoryScopes {

  private final ConcurrentHashMap<Scope, Integer> numbers = new ConcurrentHashMap<>();
  private final List<Scope> scopes = new ArrayList<>();

  int numberOf(Scope scope) {
    Integer number = numbers.get(scope);
    return number == null ? numbers.computeIfAbsent(scope, this::add) : number;
  }

  private int add(Scope scope) {
    synchronized (scopes) {
      scopes.add(scope);
      return scopes.size() - 1;
    }
  }

  Scope get(int number) {
    synchronized (scopes) {
      return scopes.get(number);
    }
  }
}
