package dev.onlyonce.filter;

/** What was to be loaded is no filter, damaged, cut short, of another kind or of a newer format. */
public final class FilterFormatException extends FilterException {
  private static final long serialVersionUID = 1L;

  FilterFormatException(String message) {
    super(message);
  }
}
