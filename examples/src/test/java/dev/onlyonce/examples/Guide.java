package dev.onlyonce.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A document of docs/guides: what it shows of programs and of the command line. */
final class Guide {

  static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  private static final Pattern REGION =
      Pattern.compile("  // region (\\w+)\n(.*?)\n\n  // endregion", Pattern.DOTALL);
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);
  private static final Pattern SESSION = Pattern.compile("```\n(\\$ .*?\n)```", Pattern.DOTALL);

  private final String text;

  private Guide(String text) {
    this.text = text;
  }

  /** Reads a guide. */
  static Guide of(String file) {
    return new Guide(read(ROOT.resolve("docs/guides").resolve(file)));
  }

  /** Returns the regions of a program of this module, without what they are indented by. */
  static List<String> regions(Class<?> program) {
    String name = "src/main/java/" + program.getName().replace('.', '/') + ".java";
    return REGION
        .matcher(read(Path.of(name)))
        .results()
        .map(region -> region.group(2).indent(-2).stripTrailing())
        .toList();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the pieces of Java that it shows. */
  List<String> java() {
    return JAVA.matcher(text).results().map((MatchResult piece) -> piece.group(1)).toList();
  }

  /** A command, and what it prints. */
  record Command(String line, String output) {}

  /** Returns the commands that it shows with a prompt, in their order. */
  List<Command> commands() {
    List<Command> commands = new ArrayList<>();
    SESSION
        .matcher(text)
        .results()
        .flatMap(session -> List.of(session.group(1).split("(?m)^\\$ ")).stream().skip(1))
        .forEach(
            command -> {
              int end = command.indexOf('\n');
              commands.add(new Command(command.substring(0, end), command.substring(end + 1)));
            });
    return commands;
  }

  @Override
  public String toString() {
    return text;
  }
}
