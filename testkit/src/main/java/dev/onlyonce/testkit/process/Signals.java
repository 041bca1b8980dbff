package dev.onlyonce.testkit.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sends the signals that {@link Process} has no method for, and looks at what became of them.
 *
 * <p>A process is stopped only when each of its threads is: the kernel stops them one by one, and
 * the first thread of a JVM does none of the work.
 */
final class Signals {
  private static final Path PROC = Path.of("/proc");
  private static final Set<Character> DEAD = Set.of('X', 'Z');
  private static final long GUARD_SECONDS = 60;

  private Signals() {}

  /** Whether the states of processes can be seen on this machine. */
  static boolean canSeeStates() {
    return Files.isReadable(PROC.resolve("self/stat"));
  }

  /** Sends a signal by name, without SIG. The shell's own kill is everywhere; /bin/kill is not. */
  static void send(String signal, long pid) {
    String[] command = {"/bin/sh", "-c", "kill -s " + signal + " " + pid};
    try {
      Process kill = new ProcessBuilder(command).inheritIO().start();
      if (!kill.waitFor(GUARD_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        kill.destroyForcibly();
        throw new AssertionError("could not send SIG" + signal + " to process " + pid);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while sending SIG" + signal, e);
    }
  }

  /** Whether the process was stopped and none of its threads can run. */
  static boolean isStopped(long pid) {
    try (Stream<Path> threads = Files.list(PROC.resolve(pid + "/task"))) {
      Set<Character> states = threads.map(Signals::state).collect(Collectors.toSet());
      return states.remove('T') && DEAD.containsAll(states);
    } catch (IOException e) {
      return false; // the process is gone
    }
  }

  /** The letter after the command, which stands in parentheses and may contain any of them. */
  private static char state(Path thread) {
    try {
      String stat = Files.readString(thread.resolve("stat"), ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return 'X'; // the thread is gone
    }
  }
}
