package dev.onlyonce.canary;

import java.util.List;

/** Uses a raw type. */
final class Raw {
  private Raw() {}

  static int size(List list) {
    return list.size();
  }
}
