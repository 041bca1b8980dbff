package dev.onlyonce.services;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sends the signals that {@link Process} has no method for, and sees what became of them. */
final class Signals {
  private static final Set<Character> DEAD = Set.of('X', 'Z');

  private Signals() {}

  /** Starts a shell script whose arguments are process ids. */
  static Process script(String script, Collection<Long> pids) {
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    pids.forEach(pid -> command.add(pid.toString()));
    try {
      return new ProcessBuilder(command)
          .redirectError(ProcessBuilder.Redirect.DISCARD) // a process is gone, as it may
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a signal by its name without SIG, to those that are still there. */
  static void send(String signal, long pid) {
    await(script("kill -s " + signal + " \"$@\"", List.of(pid)));
  }

  static void await(Process process) {
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while a signal was sent", e);
    }
  }

  /** Whether none of its threads can run, since it was stopped or is dead. */
  static boolean isStill(long pid) {
    Set<Character> states = states(pid);
    states.remove('T');
    return DEAD.containsAll(states);
  }

  /** Whether it has ended; one that nobody has asked for its exit code yet has ended, too. */
  static boolean isDead(long pid) {
    return DEAD.containsAll(states(pid));
  }

  /** The states of its threads; none if it is gone. */
  private static Set<Character> states(long pid) {
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      return threads.map(Signals::state).collect(Collectors.toCollection(HashSet::new));
    } catch (IOException | UncheckedIOException e) {
      return new HashSet<>();
    }
  }

  /** The letter after the command, which stands in parentheses and may contain any of them. */
  private static char state(Path thread) {
    try {
      String stat = Files.readString(thread.resolve("stat"), ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return 'X';
    }
  }
}
