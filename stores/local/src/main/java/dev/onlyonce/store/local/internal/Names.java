package dev.onlyonce.store.local.internal;

import dev.onlyonce.store.local.internal.Cursor.Malformed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The scopes and owners that a segment has named so far. Not safe for use by several threads. */
final class Names {

  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>();

  /** Returns the number of a name, -1 if it has none. */
  int number(String name) {
    return numbers.getOrDefault(name, -1);
  }

  /** Gives a name the next number. */
  int add(String name) {
    numbers.put(name, names.size());
    names.add(name);
    return names.size() - 1;
  }

  String name(long number) throws Malformed {
    if (number < 0 || number >= names.size()) {
      throw new Malformed("names the scope or owner number " + number + ", which has no name");
    }
    return names.get((int) number);
  }

  String get(int number) {
    return names.get(number);
  }

  int size() {
    return names.size();
  }

  /** Forgets the names that came after there were this many. */
  void cut(int size) {
    while (names.size() > size) {
      numbers.remove(names.remove(names.size() - 1));
    }
  }
}
