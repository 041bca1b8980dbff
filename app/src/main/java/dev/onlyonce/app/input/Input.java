package dev.onlyonce.app.input;

import dev.onlyonce.app.Failure;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A file or stream to read, as the command line names it. Opened at most once. */
public final class Input {
  private static final Path DASH = Path.of("-");

  private final String name;
  private final @Nullable Path path;
  private final Opener opener;

  Input(String name, @Nullable Path path, Opener opener) {
    this.name = name;
    this.path = path;
    this.opener = opener;
  }

  /** The program's standard input. */
  public static Input standardInput() {
    return new Input("standard input", null, Input::openStandardInput);
  }

  /**
   * Where standard input was closed, Java has opened one of its own files in its place: that is not
   * what was to be read, and closing it would end the process.
   */
  private static InputStream openStandardInput() throws IOException {
    Path descriptor = Path.of("/proc/self/fd/0");
    if (Files.isSymbolicLink(descriptor)) {
      Path file = Files.readSymbolicLink(descriptor);
      if (file.startsWith(Path.of(System.getProperty("java.home")).toRealPath())
          || isOnClassPath(file)) {
        throw new IOException("it is closed");
      }
    }
    return new FileInputStream(FileDescriptor.in);
  }

  private static boolean isOnClassPath(Path file) {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .anyMatch(entry -> entry.toAbsolutePath().normalize().equals(file));
  }

  /** A file, or anything else that can be opened by a name. */
  public static Input file(Path path) {
    return new Input(path.toString(), path, () -> new FileInputStream(path.toFile()));
  }

  /** What a command line names: a file, or standard input by {@code -}. */
  public static Input named(Path name) {
    return name.equals(DASH) ? standardInput() : file(name);
  }

  /**
   * Says early, before anything is written, that one of these cannot be read.
   *
   * @throws Failure if it is standard input for a second time, or a file that is a folder, does not
   *     exist or must not be read
   */
  public static void check(List<Input> inputs) {
    if (inputs.stream().filter(input -> input.path == null).count() > 1) {
      throw Failure.usage("standard input (-) can be read only once; name it once");
    }
    inputs.forEach(Input::check);
  }

  /** The name for messages. */
  public String name() {
    return name;
  }

  /** Where the file is; null for standard input. */
  public @Nullable Path path() {
    return path;
  }

  /** How many bytes there are to read, or -1 if that is not known before. */
  long size() {
    if (path == null || !Files.isRegularFile(path)) {
      return -1;
    }
    try {
      return Files.size(path);
    } catch (IOException e) {
      return -1;
    }
  }

  void check() {
    if (path == null) {
      return;
    }
    try {
      if (Files.isDirectory(path)) {
        throw new IOException("it is a folder");
      }
      path.getFileSystem().provider().checkAccess(path, AccessMode.READ);
    } catch (IOException e) {
      throw Failure.io("cannot read " + name, e);
    }
  }

  /** Opens the bytes as they are stored. */
  InputStream open() {
    check();
    try {
      return opener.open();
    } catch (IOException e) {
      throw Failure.io("cannot read " + name, e);
    }
  }

  /** Opens the bytes as they are stored. */
  interface Opener {
    InputStream open() throws IOException;
  }
}
