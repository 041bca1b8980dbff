package dev.onlyonce.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.Main;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs all commands of the guides about the command line, as they are printed there. */
class CommandLineGuidesTest {

  private static final String MARK = "=== end of command";

  /** The launcher and the jar are not built yet; the classes that they are made of are. */
  private static final String SHELL =
      """
      export LC_ALL=C.UTF-8
      java() { command java -XX:TieredStopAtLevel=1 "$1" "$CLASSPATH" "${@:3}"; }
      onlyonce() { java -cp - %s "$@"; }
      cd '%s'
      """;

  @TempDir Path folder;

  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  @ParameterizedTest
  @CsvSource({"dedup.md, /tmp/dedup, 14", "operator.md, /tmp/shop, 18"})
  void each_command_prints_what_the_guide_says(String file, String place, int least)
      throws Exception {
    List<Guide.Command> commands = Guide.of(file).commands();
    assertThat(commands).hasSizeGreaterThanOrEqualTo(least);

    List<String> printed = run(commands, place);

    assertThat(printed).hasSameSizeAs(commands);
    for (int i = 0; i < printed.size(); i++) {
      String line = commands.get(i).line();
      assertThat(comparable(line, printed.get(i)))
          .as("%s: %s", file, line)
          .isEqualTo(comparable(line, commands.get(i).output()));
    }
  }

  /** Runs them in one shell, in a folder of the test's own; returns what each has printed. */
  private List<String> run(List<Guide.Command> commands, String place) throws Exception {
    StringBuilder script = new StringBuilder(SHELL.formatted(Main.class.getName(), Guide.ROOT));
    for (Guide.Command command : commands) {
      script.append(command.line()).append("\necho '").append(MARK).append("'\n");
    }
    Path out = folder.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder("/bin/bash", "-c", script.toString().replace(place, folder + "/example"))
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().put("CLASSPATH", classPath());
    builder
        .environment()
        .merge(
            "PATH",
            System.getProperty("java.home") + "/bin",
            (path, java) -> java + File.pathSeparator + path);
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    Process process = builder.start();
    try {
      process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    List<String> printed = new ArrayList<>(List.of(Files.readString(out).split(MARK + "\n", -1)));
    assertThat(printed.remove(printed.size() - 1)).as("behind the last command").isEmpty();
    return printed;
  }

  /** Without the examples, which are run from their sources. */
  private static String classPath() throws IOException {
    String ours = Path.of("target", "classes").toRealPath().toString();
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !Path.of(entry).toAbsolutePath().normalize().toString().equals(ours))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Leaves out what is different each time: times, tokens, and the luck of a Bloom filter. */
  private static String comparable(String command, String output) {
    String same =
        output
            .replaceAll("20[2-9]\\d-\\d\\d-\\d\\dT[0-9:.]+Z", "TIME")
            .replaceAll("\\b\\d{16}\\b", "TOKEN")
            .replaceAll("\\b\\d+ (ms|s|min)\\b( \\d+ s\\b)?", "LENGTH")
            .replaceAll("in \\d+ d( \\d+ h)?", "in LENGTH")
            .replaceAll("\\d+\\.\\d+ s\\b", "SECONDS")
            .replaceAll(" +", " ");
    return command.contains("--approximate") ? same.replaceAll("\\d[\\d,.]*", "N") : same;
  }
}
