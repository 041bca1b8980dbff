package dev.onlyonce.app.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The processes that the demo has started, and the temporary folder in which they work. When it is
 * closed, and when this process is told to end, they are killed and the folder is removed. When
 * this process is killed, they remove the folder and end by themselves.
 */
final class Children implements AutoCloseable {

  private static final List<String> OPTIONS =
      List.of(
          "-Xmx128m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Xshare:auto",
          // A process that is killed would leave its file of counters behind.
          "-XX:-UsePerfData");

  private final Set<Process> running = ConcurrentHashMap.newKeySet();
  private final Path folder;
  private final Thread atShutdown = new Thread(this::endAll, "end-children");

  private final Map<String, String> environment;

  private Children(Path folder, Map<String, String> environment) {
    this.folder = folder;
    this.environment = environment;
  }

  /**
   * @param environment what the processes are told beside what this one was
   */
  static Children inTemporaryFolder(Map<String, String> environment) throws IOException {
    Children children = new Children(TemporaryFolder.make(), environment);
    Runtime.getRuntime().addShutdownHook(children.atShutdown);
    return children;
  }

  /** Makes a folder in the temporary one. */
  Path folder(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  /**
   * Starts a process with this main class, and waits until it is ready. Its first argument is the
   * folder, for {@link Child#endWithParent}; the others follow.
   */
  Child start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.add(folder.toString());
    command.addAll(List.of(arguments));
    String name = "the " + main.getSimpleName().toLowerCase(Locale.ROOT);
    Path complaints = Files.createTempFile(folder, main.getSimpleName(), ".err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(complaints.toFile());
    // Options that are meant for this process: a debugger's port can be opened once.
    builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    running.add(process);
    return Child.ready(name, process, complaints);
  }

  @Override
  public void close() {
    endAll();
    try {
      Runtime.getRuntime().removeShutdownHook(atShutdown);
    } catch (IllegalStateException e) {
      // This process is ending, and the hook is at work.
    }
  }

  private void endAll() {
    running.forEach(Process::destroyForcibly);
    for (Process process : running) {
      process.onExit().join();
    }
    TemporaryFolder.remove(folder);
  }
}
