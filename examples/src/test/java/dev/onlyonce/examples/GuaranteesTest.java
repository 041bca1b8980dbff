package dev.onlyonce.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds docs/GUARANTEES.md to tests that are there. */
class GuaranteesTest {

  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern CASE = Pattern.compile("@Case\\(([^)]*)\\)");
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+)\\.([a-z0-9]+_\\w+)`");

  @Test
  void every_test_that_the_guarantees_name_is_there() throws IOException {
    List<MatchResult> named =
        TEST.matcher(Files.readString(ROOT.resolve("docs/GUARANTEES.md"))).results().toList();
    Map<String, String> sources = sources();
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(named.stream().filter(test -> !isThere(test, sources)).map(MatchResult::group))
        .isEmpty();
  }

  @Test
  void every_failure_of_others_that_a_test_shows_has_its_row() throws IOException {
    String guarantees = Files.readString(ROOT.resolve("docs/GUARANTEES.md"));
    Set<String> shown =
        sources().values().stream()
            .flatMap(source -> CASE.matcher(source).results())
            .flatMap(it -> Stream.of(it.group(1).split("\\D+")))
            .filter(it -> !it.isEmpty())
            .collect(Collectors.toSet());
    assertThat(shown).hasSizeGreaterThan(20);
    assertThat(shown).allMatch(number -> guarantees.contains("\n| " + number + " | "));
  }

  private static boolean isThere(MatchResult test, Map<String, String> sources) {
    String source = sources.getOrDefault(test.group(1) + ".java", "");
    return source.contains(" " + test.group(2) + "(");
  }

  private static Map<String, String> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.toString().contains("/canaries/"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString(), GuaranteesTest::read, (a, b) -> a + b));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
