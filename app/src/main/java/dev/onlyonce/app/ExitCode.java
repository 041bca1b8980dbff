package dev.onlyonce.app;

/** How a run of the program ended, as the number that the shell sees. */
public enum ExitCode {
  /** Everything was done; also when the reader of the output went away early, as head does. */
  FINE(0),
  /**
   * Everything was done, and there is something to look at: a difference was found, or a key is
   * absent or was left as it is.
   */
  FINDING(1),
  /** The command line cannot be carried out. */
  USAGE(2),
  /**
   * The input is damaged, or has records that the chosen policy does not accept; or the file of a
   * tiered store is not as it should be.
   */
  BAD_INPUT(3),
  /** A store, a file or a stream could not be opened, read or written. */
  IO_FAILURE(4),
  /** A bug in the program. */
  BUG(70);

  private final int number;

  ExitCode(int number) {
    this.number = number;
  }

  /** The process's exit status. */
  public int number() {
    return number;
  }
}
