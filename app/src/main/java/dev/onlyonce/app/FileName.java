package dev.onlyonce.app;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads the name of a file, as a user gave it. */
public final class FileName {

  private FileName() {}

  /**
   * Returns the path of that name.
   *
   * @throws Failure if no file can have it: it is empty, or has a letter that the locale does not
   *     have
   */
  public static Path path(String name) {
    if (name.isEmpty()) {
      throw Failure.usage("the name of a file must not be empty");
    }
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw Failure.usage(
          "'"
              + name
              + "' cannot be the name of a file here; if it has letters beyond ASCII, set"
              + " LC_ALL=C.UTF-8");
    }
  }
}
