package dev.onlyonce.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs a program of ours in a JVM of its own. */
final class Fork {

  private Fork() {}

  /** Returns what the program printed, blank if it failed and has said so on standard error. */
  static String run(List<String> flags, Class<?> main, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(flags);
    command.add(temporaryFolder());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }

  /** Returns the flag by which a JVM has the temporary folder of this one. */
  static String temporaryFolder() {
    return "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir");
  }
}
