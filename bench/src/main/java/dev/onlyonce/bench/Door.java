package dev.onlyonce.bench;

/** A way to have a message handled once. Safe for use by several threads. */
interface Door extends AutoCloseable {

  /** Hands a message in; its handler does nothing but count. */
  void handle(byte[] key);

  /** Returns how often the handler has run. */
  long handled();

  @Override
  default void close() {}

  /** Makes the door of that name, for this many keys. */
  static Door named(String name, int keys) throws Exception {
    return switch (name) {
      case "onlyonce" -> new EngineDoor(keys);
      case "store" -> new StoreDoor(keys);
      case "camel-route" -> new CamelRoute(keys);
      case "camel-repository" -> new CamelRepository(keys);
      case "spring-channel" -> new SpringChannel();
      case "spring-selector" -> new SpringSelector();
      default -> throw new IllegalArgumentException("no such door: " + name);
    };
  }
}
