package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.app.cli.InProcess.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The program without a command, with a wrong one, and what all commands have in common. */
class MainTest {
  @TempDir Path folder;

  private Result run(String... arguments) {
    return new InProcess(folder).run(arguments);
  }

  private static Stream<CommandLine> withAllBelow(CommandLine command) {
    return Stream.concat(
        Stream.of(command),
        command.getSubcommands().values().stream().flatMap(MainTest::withAllBelow));
  }

  private static List<CommandLine> commands() {
    return withAllBelow(Main.commandLine())
        .filter(command -> !command.getCommandName().equals("help"))
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''           | a command is missing; the commands are demo, dedup,
          claims       | a command is missing; the commands are show, history, list,
          dedupe       | there is no command 'dedupe' (did you mean dedup or demo?); the commands are demo, dedup,
          claims shwo  | there is no command 'shwo' (did you mean show
          frobnicate   | there is no command 'frobnicate'; the commands are demo,
          """)
  void without_a_command_that_there_is_the_commands_are_named(String line, String sentence) {
    Result result = run(line.isEmpty() ? new String[0] : line.split(" ", -1));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("onlyonce: " + sentence);
  }

  /** They were told in the words of Java, as in "is not a long". */
  @Test
  void a_value_that_is_no_number_no_time_and_no_choice_is_told_in_words() {
    int tried = 0;
    for (CommandLine command : commands()) {
      for (OptionSpec option : command.getCommandSpec().options()) {
        if (!isRestricted(option)) {
          continue;
        }
        tried++;
        String line = command.getCommandSpec().qualifiedName() + " " + option.longestName() + "=?x";
        String[] arguments = line.substring(line.indexOf(' ') + 1).split(" ", -1);
        assertThatThrownBy(() -> Main.commandLine().parseArgs(arguments))
            .as(line)
            .isInstanceOf(ParameterException.class)
            .hasMessageStartingWith("Invalid value for option '" + option.longestName() + "'")
            .hasMessageContaining("'?x'")
            .hasMessageNotContainingAny(" long", " int", " double", "convert", "java.", "[");
      }
    }
    assertThat(tried).isGreaterThan(20);
  }

  /** Tells whether not everything is a value of an option. */
  private static boolean isRestricted(OptionSpec option) {
    Class<?> type = option.auxiliaryTypes()[0];
    return type.isEnum()
        || List.of(int.class, long.class, Long.class, Double.class, Duration.class).contains(type);
  }

  /** A line that was too long went on at the margin, where it could not be copied. */
  @Test
  void no_example_is_wider_than_a_terminal() {
    for (CommandLine command : commands()) {
      assertThat(command.getCommandSpec().usageMessage().footer())
          .as(command.getCommandSpec().qualifiedName())
          .allMatch(line -> line.startsWith("  "))
          .allMatch(line -> line.length() < 80);
      assertThat(command.getUsageMessage().lines()).allMatch(line -> line.length() <= 80);
    }
  }
}
