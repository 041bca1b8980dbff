package dev.onlyonce.app.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A process that this one has started, and the few words that it says to this one.
 *
 * <p>It is a JVM like this one's with the same class path. It ends when its standard input does,
 * which is when this process is gone, however that came.
 */
final class Child {

  private static final String READY = "ready ";

  private final String name;
  private final Process process;
  private final Path complaints;
  private final int port;

  private Child(String name, Process process, Path complaints) throws IOException {
    this.name = name;
    this.process = process;
    this.complaints = complaints;
    this.port = readPort();
  }

  /** Waits until a process that was started is ready. */
  static Child ready(String name, Process process, Path complaints) throws IOException {
    return new Child(name, process, complaints);
  }

  /** Returns the port at which it listens. */
  int port() {
    return port;
  }

  /** Ends it with SIGKILL, in the middle of what it does, and waits until it is gone. */
  void kill() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while " + name + " was killed");
    }
  }

  /** Says that it has ended though nobody killed it, with what it had to say about that. */
  IOException endedByItself() throws IOException {
    kill();
    String sentence = "%s has ended with exit code %d".formatted(name, process.exitValue());
    try (Stream<String> lines = Files.lines(complaints)) {
      return new IOException(
          lines
              .filter(line -> !line.isBlank())
              .findFirst()
              .map(it -> sentence + ": " + it)
              .orElse(sentence));
    } catch (UncheckedIOException e) {
      return new IOException(sentence, e);
    }
  }

  private int readPort() throws IOException {
    BufferedReader out = process.inputReader(UTF_8);
    String line = out.readLine();
    if (line == null || !line.startsWith(READY)) {
      throw endedByItself();
    }
    return Integer.parseInt(line.substring(READY.length()));
  }

  /** For the child: says to the parent that it is ready, and where. */
  static void sayReady(int port) {
    System.out.println(READY + port);
    System.out.flush();
  }

  /**
   * For the child: ends it at the moment when its parent has ended or closes the pipe. Who was
   * killed could not remove the folder any more, so that is done here.
   */
  static void endWithParent(Path folder) {
    Thread watch = new Thread(() -> haltAtEndOfInput(folder), "end-with-parent");
    watch.setDaemon(true);
    watch.start();
  }

  private static void haltAtEndOfInput(Path folder) {
    try {
      while (System.in.read() >= 0) {
        // The parent says nothing.
      }
    } catch (IOException e) {
      // No parent either.
    }
    TemporaryFolder.remove(folder);
    Runtime.getRuntime().halt(0);
  }
}
