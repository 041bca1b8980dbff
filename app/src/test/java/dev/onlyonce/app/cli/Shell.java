package dev.onlyonce.app.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs bash scripts in a folder, as a user would. */
final class Shell {
  private final Path folder;
  private final Map<String, String> environment = new LinkedHashMap<>();

  Shell(Path folder) {
    this.folder = folder;
  }

  /** What a script did. */
  record Result(int code, String out, String err) {}

  /** A shell in which {@code $once} runs the program with the copy command. */
  static Shell withProgram(Path folder) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new Shell(folder)
        .set("once", java + " -XX:TieredStopAtLevel=1 " + CopyProgram.class.getName())
        .set("CLASSPATH", System.getProperty("java.class.path"));
  }

  Shell set(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Result run(String script) {
    try {
      Path out = Files.createTempFile("shell", ".out");
      Path err = Files.createTempFile("shell", ".err");
      ProcessBuilder builder =
          new ProcessBuilder(List.of("/bin/bash", "-c", script))
              .directory(folder.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().putAll(environment);
      builder.environment().remove("JAVA_TOOL_OPTIONS");
      Process process = builder.start();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("does not end: " + script);
      }
      Result result = new Result(process.exitValue(), Files.readString(out), Files.readString(err));
      Files.delete(out);
      Files.delete(err);
      return result;
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
