package dev.onlyonce.testkit.process;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A worker in a JVM of its own, on the class path of this one, which a test talks to in lines and
 * can kill, stop and continue.
 *
 * <p>When {@link #kill} has returned the process is dead and reaped: it does nothing any more. When
 * {@link #suspend} has returned none of its threads runs (checked where the system has {@code
 * /proc}; elsewhere the signal was sent). No worker outlives this JVM: not when it is closed, not
 * when this JVM exits, and not for longer than some five seconds when this JVM is itself killed.
 *
 * <p>The protocol is lines of UTF-8: {@link #send} writes one to the worker's standard input,
 * {@link #awaitLine} takes one from its standard output. A line can be taken once; lines that are
 * not taken stay, up to the last 10,000. A line that the worker began but did not end is none.
 *
 * <p>Thread-safe. Needs a system with POSIX signals and a shell.
 *
 * <p>Deadlines are guards against hanging. What does not come about in time, or cannot any more
 * because the worker has exited, is an {@link AssertionError} with the worker's state and the last
 * lines of its output and error output; so is an interrupt, and the thread stays interrupted.
 */
public final class WorkerProcess implements AutoCloseable {
  private static final Duration GUARD = Duration.ofSeconds(60);
  private static final int KILLED = 128 + 9;
  private static final int SHOWN_LINES = 20;
  private static final Set<WorkerProcess> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> RUNNING.forEach(WorkerProcess::destroy), "worker killer"));
  }

  private final String name;
  private final Process process;
  private final Lines output;
  private final Lines errors;
  private final Writer input;

  private WorkerProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    output = Lines.of(process.getInputStream(), name + " output");
    errors = Lines.of(process.getErrorStream(), name + " errors");
    input =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
  }

  /** A worker that runs the {@code static void main(String[])} which the class itself declares. */
  public static Builder of(Class<?> mainClass) {
    return new Builder(mainClass);
  }

  /** The name that messages give it. */
  public String name() {
    return name;
  }

  /** Its process id; that of another process once this one is dead and the system reuses it. */
  public long pid() {
    return process.pid();
  }

  /** Whether it has not exited; a suspended worker is alive. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Sends one line.
   *
   * <p>Blocks while the worker does not read and the pipe is full (64 KiB on Linux). Throws {@link
   * UncheckedIOException} if the worker has closed its input or is dead.
   */
  public void send(String line) {
    if (line.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("line must not contain a line feed, was " + line);
    }
    try {
      synchronized (input) {
        input.write(line);
        input.write('\n');
        input.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(describe("could not be sent a line: " + line), e);
    }
  }

  /** Takes the first line that is equal to this one, waiting for it if it has not come yet. */
  public String awaitLine(String line, Duration deadline) {
    return awaitLine("the line " + line, line::equals, deadline);
  }

  /** Takes the first line that is wanted, waiting for it if it has not come yet. */
  public String awaitLine(Predicate<String> wanted, Duration deadline) {
    return awaitLine("a wanted line", wanted, deadline);
  }

  private String awaitLine(String what, Predicate<String> wanted, Duration deadline) {
    @Nullable String line;
    try {
      line = output.take(wanted, deadline);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    if (line != null) {
      return line;
    }
    if (output.hasEnded()) {
      Await.reached(GUARD, () -> !isAlive() && errors.hasEnded());
      throw new AssertionError(describe("ended without " + what));
    }
    throw new AssertionError(describe("did not write " + what + " within " + deadline));
  }

  /** The last lines of its error output, at most 100. */
  public List<String> errorTail() {
    return errors.tail();
  }

  /** Waits until it has exited by itself or by a signal; the exit code (128 + signal). */
  public int awaitExit(Duration deadline) {
    try {
      if (process.waitFor(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    throw new AssertionError(describe("did not exit within " + deadline));
  }

  /** Asks it to exit (SIGTERM), without waiting. */
  public void terminate() {
    process.toHandle().destroy();
  }

  /**
   * Kills it (SIGKILL), suspended or not, and waits until it is reaped. Says whether this is what
   * ended it: false if it had exited before. The lines that it wrote until then can still be taken.
   */
  public boolean kill() {
    process.toHandle().destroyForcibly(); // the one of Process would throw its output away
    return awaitExit(GUARD) == KILLED;
  }

  /** Stops it (SIGSTOP) and waits until none of its threads runs. */
  public void suspend() {
    signal("STOP", () -> Signals.isStopped(pid()));
  }

  /** Lets it go on (SIGCONT) and waits until it is not stopped. */
  public void resume() {
    signal("CONT", () -> !Signals.isStopped(pid()));
  }

  private void signal(String signal, BooleanSupplier done) {
    if (!isAlive()) {
      throw new AssertionError(describe("cannot get SIG" + signal));
    }
    Signals.send(signal, pid());
    if (Signals.canSeeStates()
        && !(Await.reached(GUARD, () -> done.getAsBoolean() || !isAlive()) && isAlive())) {
      throw new AssertionError(describe("did not follow SIG" + signal));
    }
  }

  /** Kills it and all processes that it has started, and waits until it is reaped. */
  @Override
  public void close() {
    destroy();
    awaitExit(GUARD);
  }

  private void destroy() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private AssertionError interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new AssertionError(describe("was waited for when an interrupt came"), cause);
  }

  /** A sentence about this worker, with its state and its last words. */
  private String describe(String what) {
    return "worker %s (pid %d, %s) %s%noutput:%n%s%nerrors:%n%s"
        .formatted(name, pid(), state(), what, last(output.tail()), last(errors.tail()));
  }

  private String state() {
    if (!isAlive()) {
      return "exited with " + process.exitValue();
    }
    return Signals.isStopped(pid()) ? "suspended" : "running";
  }

  private static String last(List<String> lines) {
    int from = Math.max(0, lines.size() - SHOWN_LINES);
    return lines.subList(from, lines.size()).stream()
        .map(line -> "  " + line)
        .collect(Collectors.joining(System.lineSeparator()));
  }

  @Override
  public String toString() {
    return "worker " + name + " (pid " + pid() + ", " + state() + ")";
  }

  /**
   * How a worker is started. By default:
   *
   * <ul>
   *   <li>no arguments; the environment, class path and working directory of this JVM
   *   <li>the JVM options {@code -XX:TieredStopAtLevel=1} and, unless another collector is chosen,
   *       {@code -XX:+UseSerialGC}, for a quick start on a small machine; none of this JVM's own
   *   <li>UTF-8 as the encoding of files and of the three standard streams
   *   <li>the simple name of the main class as its name
   * </ul>
   *
   * What is given later wins. Not thread-safe; may be used to start several workers.
   */
  public static final class Builder {
    private static final Pattern SEPARATOR = Pattern.compile(File.pathSeparator, Pattern.LITERAL);

    private final Class<?> mainClass;
    private final List<String> arguments = new ArrayList<>();
    private final List<String> jvmOptions = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private @Nullable Path directory;
    private String name;

    private Builder(Class<?> mainClass) {
      this.mainClass = mainClass;
      name = mainClass.getSimpleName();
    }

    /** Adds arguments of the main method. */
    public Builder arguments(String... more) {
      arguments.addAll(Arrays.asList(more));
      return this;
    }

    /** Adds options of the JVM. */
    public Builder jvmOptions(String... more) {
      jvmOptions.addAll(Arrays.asList(more));
      return this;
    }

    /** Sets a system property, such as {@code user.timezone}. */
    public Builder systemProperty(String property, String value) {
      jvmOptions.add("-D" + property + "=" + value);
      return this;
    }

    /** Sets a variable of the environment. */
    public Builder environment(String variable, String value) {
      environment.put(variable, value);
      return this;
    }

    /** Sets the working directory. */
    public Builder directory(Path workingDirectory) {
      directory = workingDirectory;
      return this;
    }

    /** Sets the name that messages give the worker. */
    public Builder name(String workerName) {
      name = workerName;
      return this;
    }

    /** Starts a worker. Throws {@link UncheckedIOException} if the system does not let it. */
    public WorkerProcess start() {
      ProcessBuilder builder = new ProcessBuilder(command());
      builder.environment().putAll(environment);
      if (directory != null) {
        builder.directory(directory.toFile());
      }
      try {
        WorkerProcess worker = new WorkerProcess(name, builder.start());
        RUNNING.add(worker);
        CompletableFuture<Void> unused =
            worker.process.onExit().thenRun(() -> RUNNING.remove(worker));
        return worker;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private List<String> command() {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("-XX:TieredStopAtLevel=1");
      if (jvmOptions.stream().noneMatch(option -> option.matches("-XX:\\+Use\\w+GC"))) {
        command.add("-XX:+UseSerialGC");
      }
      for (String encoding : List.of("file", "stdout", "stderr", "sun.stdout", "sun.stderr")) {
        command.add("-D" + encoding + ".encoding=UTF-8");
      }
      command.addAll(jvmOptions);
      command.addAll(List.of("-cp", classPath(), WorkerLauncher.class.getName()));
      command.add(Long.toString(ProcessHandle.current().pid()));
      command.add(mainClass.getName());
      command.addAll(arguments);
      return command;
    }

    /** The class path of this JVM, which is relative to its working directory, not the worker's. */
    private static String classPath() {
      return SEPARATOR
          .splitAsStream(System.getProperty("java.class.path"))
          .map(entry -> Path.of(entry).toAbsolutePath().toString())
          .collect(Collectors.joining(File.pathSeparator));
    }
  }
}
