package dev.onlyonce.store.local.internal;

import java.io.IOException;

/** The right to be the only writer of a store. */
interface Hold extends AutoCloseable {

  /**
   * Makes sure now and then that it was not taken away.
   *
   * @param micros the store's time
   * @throws IOException if it was: somebody else may be writing
   */
  void require(long micros) throws IOException;

  /** Lets it go. */
  @Override
  void close() throws IOException;

  /** That of a store which nobody else knows of. */
  static Hold unshared() {
    return new Hold() {
      @Override
      public void require(long micros) {}

      @Override
      public void close() {}
    };
  }
}
