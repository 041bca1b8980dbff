package dev.onlyonce.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.TimeZone;

/** A worker that does what the lines say which it reads, one word and what follows it. */
final class EchoWorker {
  private static final Duration GUARD = Duration.ofSeconds(60);

  private EchoWorker() {}

  public static void main(String[] args) throws IOException {
    System.out.println("ready " + String.join(",", args));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String verb = line.substring(0, line.indexOf(' '));
      run(verb, line.substring(verb.length() + 1));
    }
    System.out.println("end of input");
  }

  private static void run(String verb, String rest) {
    switch (verb) {
      case "echo" -> System.out.println(rest);
      case "error" -> System.err.println(rest);
      case "begin" -> {
        System.out.print(rest);
        System.out.flush();
      }
      case "variable" -> System.out.println(System.getenv(rest));
      case "property" -> System.out.println(System.getProperty(rest));
      case "directory" -> System.out.println(Path.of("").toAbsolutePath());
      case "zone" -> System.out.println(TimeZone.getDefault().getID());
      case "flood" -> flood(Integer.parseInt(rest));
      case "exit" -> System.exit(Integer.parseInt(rest));
      case "throw" -> throw new IllegalStateException(rest);
      case "fork" -> fork();
      default -> throw new IllegalArgumentException(verb);
    }
  }

  private static void flood(int lines) {
    for (int i = 0; i < lines; i++) {
      System.out.println("flood " + i);
    }
  }

  /** Starts a worker of its own and does not look after it. */
  private static void fork() {
    WorkerProcess child = WorkerProcess.of(EchoWorker.class).start();
    child.awaitLine("ready ", GUARD);
    System.out.println(child.pid());
  }
}
