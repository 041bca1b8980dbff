package dev.onlyonce.services;

/**
 * A server is not to be had: it is not installed, does not start, or does not do as it is told. The
 * message says what to do or shows the last lines of the server's own log.
 */
public final class ServerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ServerException(String message) {
    super(message);
  }

  ServerException(String message, Throwable cause) {
    super(message, cause);
  }
}
