package dev.onlyonce.canary;

import java.util.Map;

/** Returns null where it promises a value. */
final class Absent {
  private Absent() {}

  static String find(Map<String, String> map, String key) {
    return map.get(key);
  }
}
