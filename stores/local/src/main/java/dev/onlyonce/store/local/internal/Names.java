package dev.onlyonce.store.local.internal;

import dev.onlyonce.Scope;
import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The scopes and owners that a segment has named so far. Not safe for use by several threads. */
final class Names {

  private static final int FEW = 4;

  private final List<String> names = new ArrayList<>();
  private final List<@Nullable Scope> scopes = new ArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>();

  /** Returns the number of a name, -1 if it has none. */
  @SuppressWarnings("ReferenceEquality") // only to be faster
  int number(String name) {
    for (int i = 0; i < Math.min(names.size(), FEW); i++) {
      if (names.get(i) == name) { // nearly always: the first scope and the owner
        return i;
      }
    }
    return numbers.getOrDefault(name, -1);
  }

  /** Gives a name the next number. */
  int add(String name) {
    numbers.put(name, names.size());
    names.add(name);
    scopes.add(null);
    return names.size() - 1;
  }

  String name(long number) throws Malformed {
    if (number < 0 || number >= names.size()) {
      throw new Malformed("names the scope or owner number " + number + ", which has no name");
    }
    return names.get((int) number);
  }

  /** Returns the scope of a number. */
  Scope scope(long number) throws Malformed {
    String name = name(number);
    Scope scope = scopes.get((int) number);
    if (scope == null) {
      scope = Scope.of(name);
      scopes.set((int) number, scope);
    }
    return scope;
  }

  String get(int number) {
    return names.get(number);
  }

  int size() {
    return names.size();
  }

  /** Adds those that could be scopes; some of them may be owners. */
  void addScopesTo(Set<Scope> all) {
    for (String name : names) {
      try {
        all.add(Scope.of(name));
      } catch (IllegalArgumentException e) {
        // An owner.
      }
    }
  }

  /** Forgets the names that came after there were this many. */
  void cut(int size) {
    while (names.size() > size) {
      numbers.remove(names.remove(names.size() - 1));
      scopes.remove(scopes.size() - 1);
    }
  }
}
