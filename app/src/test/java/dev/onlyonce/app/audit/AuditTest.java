package dev.onlyonce.app.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.audit.Finding.Kind;
import dev.onlyonce.app.input.Format;
import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.ReadSettings;
import dev.onlyonce.app.input.RecordReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditTest {
  private static final Asked LINES = new Asked("--key", "--format", List.of(), Format.LINES);

  @TempDir Path folder;

  private Audit audit(List<String> sent, List<String> effects) throws IOException {
    return audit(sent, effects, 1L << 30);
  }

  private Audit audit(List<String> sent, List<String> effects, long memoryBytes)
      throws IOException {
    Audit audit = new Audit(memoryBytes, sentence -> {});
    try (RecordReader left = reader("sent", sent);
        RecordReader right = reader("effects", effects)) {
      audit.run(left, LINES, right, LINES);
    }
    return audit;
  }

  private RecordReader reader(String name, List<String> lines) throws IOException {
    Path file = Files.write(folder.resolve(name), lines);
    return new RecordReader(
        List.of(Input.file(file)), new ReadSettings(Format.LINES, true, 1 << 20, List.of()));
  }

  private static Map<Kind, Set<String>> found(Audit audit) {
    Map<Kind, Set<String>> found = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      found.put(kind, new TreeSet<>());
    }
    audit.findings(it -> assertThat(found.get(it.kind()).add(it.key().toString())).isTrue());
    return found;
  }

  /** What whoever has enough memory and patience would find. */
  private static Map<Kind, Set<String>> naive(List<String> sent, List<String> effects) {
    Map<Kind, Set<String>> found = new EnumMap<>(Kind.class);
    found.put(Kind.MISSING, new TreeSet<>(sent));
    found.get(Kind.MISSING).removeAll(new HashSet<>(effects));
    found.put(Kind.UNEXPECTED, new TreeSet<>(effects));
    found.get(Kind.UNEXPECTED).removeAll(new HashSet<>(sent));
    found.put(Kind.DOUBLED, new TreeSet<>(effects));
    found.get(Kind.DOUBLED).removeIf(it -> Collections.frequency(effects, it) < 2);
    return found;
  }

  private static List<String> random(Random random, int most, int keys) {
    return IntStream.range(0, random.nextInt(most + 1))
        .mapToObj(i -> "order-" + random.nextInt(keys))
        .toList();
  }

  @Test
  void random_sides_are_compared_as_sets_would_be() throws IOException {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int keys = 1 + random.nextInt(60);
      List<String> sent = random(random, 80, keys);
      List<String> effects = random(random, 80, keys);

      Audit audit = audit(sent, effects);

      Map<Kind, Set<String>> expected = naive(sent, effects);
      assertThat(found(audit)).as("seed %d", seed).isEqualTo(expected);
      assertThat(audit.summary())
          .as("seed %d", seed)
          .isEqualTo(
              new Summary(
                  sent.size(),
                  new HashSet<>(sent).size(),
                  effects.size(),
                  new HashSet<>(effects).size(),
                  expected.get(Kind.MISSING).size(),
                  expected.get(Kind.DOUBLED).size(),
                  expected.get(Kind.UNEXPECTED).size(),
                  0,
                  0));
    }
  }

  @Test
  void findings_come_in_the_order_of_the_files_with_their_places() throws IOException {
    List<Finding> found = new ArrayList<>();
    audit(List.of("b", "a", "b"), List.of("z", "a", "y", "a", "a")).findings(found::add);

    assertThat(found.stream().map(it -> it.kind() + " " + it.key() + " " + it.times()))
        .containsExactly("MISSING b 0", "DOUBLED a 3", "UNEXPECTED z 1", "UNEXPECTED y 1");
    assertThat(found.get(0).sent().line()).isEqualTo(1);
    assertThat(found.get(1).effects().stream().map(Place::line)).containsExactly(2L, 4L);
  }

  @Test
  void a_million_keys_are_compared() throws IOException {
    List<String> sent = IntStream.range(0, 1_000_000).mapToObj(i -> "order-" + i).toList();
    List<String> effects = new ArrayList<>(sent.subList(1, sent.size()));
    effects.add("order-7");

    Map<Kind, Set<String>> found = found(audit(sent, effects));

    assertThat(found.get(Kind.MISSING)).containsExactly("order-0");
    assertThat(found.get(Kind.DOUBLED)).containsExactly("order-7");
    assertThat(found.get(Kind.UNEXPECTED)).isEmpty();
  }

  @Test
  void keys_that_do_not_fit_into_the_memory_are_one_sentence() {
    List<String> sent = IntStream.range(0, 200_000).mapToObj(i -> "order-" + i).toList();

    assertThatThrownBy(() -> audit(sent, List.of(), 4 << 20))
        .isInstanceOf(Failure.class)
        .hasMessageMatching("there are more than [0-9,]+ different keys, which is what .*");
  }
}
