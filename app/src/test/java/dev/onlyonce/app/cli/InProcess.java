package dev.onlyonce.app.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;

/** Runs the program in this process; {@code @NAME} stands for a file of the folder. */
final class InProcess {
  private final Path folder;

  InProcess(Path folder) {
    this.folder = folder;
  }

  /** What a run did. */
  record Result(int code, String out, String err) {
    List<String> lines() {
      return out.lines().toList();
    }
  }

  Result run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
    String[] given = arguments.clone();
    for (int i = 0; i < given.length; i++) {
      if (given[i].contains("=@")) {
        throw new IllegalArgumentException(
            given[i] + " would be a file beside the tests: give name and value apart");
      }
      given[i] = given[i].startsWith("@") ? path(given[i].substring(1)) : given[i];
    }
    int code = Main.run(commandLine, given);
    commandLine.getOut().flush();
    return new Result(code, withoutFolder(out.toString()), withoutFolder(err.toString()));
  }

  private String withoutFolder(String text) {
    return text.replace(folder + "/", "").replace(folder.toString(), "FOLDER");
  }

  String path(String name) {
    return folder.resolve(name).toString();
  }

  void write(String name, String content) {
    write(name, content.getBytes(UTF_8));
  }

  void write(String name, byte[] content) {
    try {
      Files.write(folder.resolve(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
