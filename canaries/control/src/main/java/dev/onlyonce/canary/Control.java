package dev.onlyonce.canary;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Has nothing to complain about. */
final class Control {
  private Control() {}

  static @Nullable String find(Map<String, String> map, String key) {
    return map.get(key);
  }
}
