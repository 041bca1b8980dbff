package dev.onlyonce.filter;

/** Something went wrong in a filter; the root of this module's exceptions. */
public class FilterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FilterException(String message) {
    super(message);
  }
}
