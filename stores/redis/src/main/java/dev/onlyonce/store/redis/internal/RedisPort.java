package dev.onlyonce.store.redis.internal;

import org.jspecify.annotations.Nullable;

/**
 * All that the store needs of a Redis client: a connection to a node that it names, on which
 * commands are sent ahead of their replies.
 */
interface RedisPort extends AutoCloseable {

  /**
   * Hands out a connection that nobody else has until it is closed.
   *
   * @throws LinkException if there is none
   */
  Link link(Node node) throws LinkException;

  /** Returns the name of the user as whom the servers are asked. */
  String user();

  /** Ends all connections, those that are handed out when they are closed. Never throws. */
  @Override
  void close();

  /** A connection. For one thread. */
  interface Link extends AutoCloseable {

    /** Whether nobody had it before. */
    boolean isNew();

    /** Sends a command, or keeps it until {@link #flush}. */
    void send(byte[]... command) throws LinkException;

    /** Sends what was kept. */
    void flush() throws LinkException;

    /**
     * Waits for the next reply: {@code byte[]}, {@code Long}, {@code List<Object>}, null, or a
     * {@link RedisError}.
     */
    @Nullable Object receive() throws LinkException;

    /** Gives the connection back, to be used again if it has not failed. Never throws. */
    @Override
    void close();
  }

  /** An error that a server has answered, such as {@code NOSCRIPT No matching script}. */
  record RedisError(String message) {

    /** The first word. */
    String code() {
      // Redis before 7 tells of an error inside a script as ERR Error running script ...: -OOM ...
      int inside = message.startsWith("ERR Error running script") ? message.lastIndexOf(": -") : -1;
      int begin = inside < 0 ? 0 : inside + 3;
      int end = message.indexOf(' ', begin);
      return end < 0 ? message.substring(begin) : message.substring(begin, end);
    }
  }

  /** A connection could not be had, or was lost: what was sent may or may not have been done. */
  final class LinkException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean refused;

    /**
     * @param refused whether the server was reached and does not want us, so that trying again does
     *     not help
     */
    LinkException(String message, boolean refused, @Nullable Throwable cause) {
      super(message, cause);
      this.refused = refused;
    }

    boolean isRefused() {
      return refused;
    }
  }
}
