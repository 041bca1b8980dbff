package dev.onlyonce.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the README to what the build has seen. */
class ReadmeTest {

  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Path FIRST =
      Path.of("src/main/java/dev/onlyonce/examples/First.java").toAbsolutePath();

  @Test
  void the_first_program_charges_once_and_returns_the_same_receipt_twice() {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, UTF_8));
    try {
      First.main(new String[0]);
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(UTF_8).lines()).containsExactly("charging order-4711", "true");
  }

  @Test
  void the_readme_shows_the_first_program_as_it_is() throws IOException {
    String source = Files.readString(FIRST);
    String program = source.substring(source.indexOf("import "));
    assertThat(Files.readString(ROOT.resolve("README.md"))).contains("```java\n" + program + "```");
  }

  @Test
  void the_readme_is_short_and_has_three_commands() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    List<String> commands =
        Pattern.compile("^(?:\\$ )?(\\./\\S+.*)$", Pattern.MULTILINE)
            .matcher(readme)
            .results()
            .map(result -> result.group(1))
            .toList();
    assertThat(readme.lines().count()).isLessThan(200);
    assertThat(commands).hasSize(3);
    assertThat(commands.get(0)).isEqualTo("./onlyonce demo");
    assertThat(commands.get(1)).startsWith("./onlyonce dedup ");
    assertThat(commands.get(2)).isEqualTo("./verify");
  }
}
