package dev.onlyonce.services;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process in the foreground, with the processes that it starts, which writes to a log and does
 * not outlive this JVM.
 *
 * <h2>How it dies with this JVM</h2>
 *
 * {@code setpriv} asks the kernel to kill the process when its parent is gone, and then becomes the
 * program itself, with the same process id. For the kernel the parent is not the JVM but the thread
 * that started the process, so all are started by one thread that never ends.
 *
 * <p>The processes that the program has started itself are its own matter: a PostgreSQL server's
 * end when they miss it. They cannot while they are paused. So the shell that pauses them stays,
 * reading from this JVM, and kills them when nothing comes any more but the end of the file.
 *
 * <p>Not thread-safe, except {@link #isAlive} and {@link #pid}.
 */
final class Child {
  private static final Duration GUARD = Duration.ofMinutes(2);
  private static final String PAUSE =
      "kill -s STOP \"$@\"; if read -r word; then kill -s CONT \"$@\"; else kill -s KILL \"$@\"; fi";

  private static final ExecutorService STARTER =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "server starter");
            thread.setDaemon(true);
            return thread;
          });

  private final Process process;
  private @Nullable Process pause;

  private Child(Process process) {
    this.process = process;
  }

  /**
   * Starts a program; the environment of this JVM, which could have settings in it, is kept out.
   */
  static Child start(Home home, List<String> program) {
    return start(home, program, ProcessBuilder.Redirect.appendTo(home.log()));
  }

  private static Child start(Home home, List<String> program, ProcessBuilder.Redirect output) {
    List<String> command = new ArrayList<>();
    command.add(Programs.installed().require("setpriv", "util-linux"));
    command.add("--pdeathsig=KILL");
    command.addAll(home.user().options());
    command.add("--");
    command.addAll(program);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(home.directory().toFile())
            .redirectInput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.appendTo(home.log()))
            .redirectOutput(output);
    builder.environment().keySet().retainAll(List.of("PATH", "JAVA_HOME"));
    builder.environment().put("HOME", home.directory().toString());
    builder.environment().put("TMPDIR", home.directory().toString());
    builder.environment().put("LC_ALL", "C.UTF-8"); // one language for messages
    return new Child(start(builder));
  }

  private static Process start(ProcessBuilder builder) {
    try {
      return STARTER.submit(builder::start).get();
    } catch (ExecutionException e) {
      throw new ServerException(builder.command() + " cannot be started", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while a server was started", e);
    }
  }

  /** Runs a program to its end. */
  static void run(Home home, List<String> program) {
    start(home, program).expectEnd(home, program);
  }

  /** Runs a program to its end and returns what it has printed. */
  static String output(Home home, List<String> program) {
    Path output = home.file("output", List.of());
    start(home, program, ProcessBuilder.Redirect.to(output.toFile())).expectEnd(home, program);
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void expectEnd(Home home, List<String> program) {
    boolean ended = awaitEnd(GUARD);
    if (!ended || exitValue() != 0) {
      String how = ended ? "ended with " + exitValue() : "was not done within " + GUARD;
      kill();
      String log = String.join("\n  ", home.lastLogLines(20));
      throw new ServerException("%s %s; its last words:%n  %s".formatted(program, how, log));
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int exitValue() {
    return process.exitValue();
  }

  /** Whether it ended within the limit. */
  boolean awaitEnd(Duration limit) {
    try {
      return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while a process was waited for", e);
    }
  }

  void signal(String signal) {
    Signals.send(signal, pid());
  }

  /** Kills it and all that it has started, and waits until they are dead. */
  void kill() {
    if (!isAlive()) {
      return;
    }
    List<ProcessHandle> family = family();
    family.forEach(ProcessHandle::destroyForcibly);
    if (pause != null) {
      pause.destroyForcibly();
      pause = null;
    }
    boolean dead =
        awaitEnd(GUARD)
            && Await.until(GUARD, () -> family.stream().allMatch(it -> Signals.isDead(it.pid())));
    if (!dead) {
      throw new ServerException("process " + pid() + " does not die");
    }
  }

  boolean isPaused() {
    return pause != null;
  }

  /** Stops it and all that it has started, and waits until none of their threads runs. */
  void pause() {
    List<Long> pids = family().stream().map(ProcessHandle::pid).toList();
    pause = Signals.script(PAUSE, pids);
    if (!Await.until(GUARD, () -> pids.stream().allMatch(Signals::isStill))) {
      throw new ServerException("process " + pid() + " does not stop");
    }
  }

  void resume() {
    if (pause == null) {
      return;
    }
    try (OutputStream word = pause.getOutputStream()) {
      word.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Signals.await(pause);
    pause = null;
  }

  /** It and all that it has started, at a moment when it can start no more. */
  private List<ProcessHandle> family() {
    if (pause == null) {
      signal("STOP");
      Await.until(GUARD, () -> Signals.isStill(pid()));
    }
    List<ProcessHandle> family = new ArrayList<>(List.of(process.toHandle()));
    process.descendants().forEach(family::add);
    return family;
  }
}
