package dev.onlyonce.app.store;

import dev.onlyonce.app.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * The fields of a mapping in a YAML file, read strictly: each that is there must be asked for, and
 * what is wrong is told with file, line and field.
 */
final class YamlFields {

  /** A hundred years: nothing waits longer, and as nanoseconds it still is a number. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,9})([a-zA-Z]+)");

  private final String file;
  private final String path;
  private final int line;
  private final Map<String, Node> fields = new LinkedHashMap<>();

  private YamlFields(String file, String path, Node node) {
    this.file = file;
    this.path = path;
    this.line = lineOf(node.getStartMark());
    if (!(node instanceof MappingNode mapping)) {
      throw wrong(line, path, "must have fields below it, as in 'name: value'");
    }
    for (NodeTuple each : mapping.getValue()) {
      String name = each.getKeyNode() instanceof ScalarNode key ? key.getValue() : "?";
      if (fields.put(name, each.getValueNode()) != null) {
        throw wrong(lineOf(each.getKeyNode().getStartMark()), at(name), "is there twice");
      }
    }
  }

  /** Reads the fields of a whole file. */
  static YamlFields of(String file, String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(file)
            .setUseMarks(true)
            .setMaxAliasesForCollections(0)
            .build();
    try {
      Node root =
          new Compose(settings)
              .composeString(text)
              .orElseThrow(
                  () -> Failure.badInput(file + " is empty: it must say what the tiers are"));
      return new YamlFields(file, "", root);
    } catch (MarkedYamlEngineException e) {
      throw Failure.badInput(
          "%s, line %d: %s".formatted(file, lineOf(e.getProblemMark()), e.getProblem()), e);
    } catch (YamlEngineException e) {
      throw Failure.badInput(file + " is not YAML: " + e.getMessage(), e);
    }
  }

  private static int lineOf(Optional<Mark> mark) {
    return mark.map(it -> it.getLine() + 1).orElse(1);
  }

  /** Refuses all fields but these. */
  void allow(Set<String> names) {
    for (Map.Entry<String, Node> each : fields.entrySet()) {
      if (!names.contains(each.getKey())) {
        throw wrong(
            lineOf(each.getValue().getStartMark()),
            at(each.getKey()),
            "is not known; there may be "
                + names.stream().sorted().collect(Collectors.joining(", ")));
      }
    }
  }

  boolean has(String name) {
    return fields.containsKey(name);
  }

  /** Returns the fields below this one; null if it is not there. */
  @Nullable YamlFields below(String name) {
    Node node = fields.get(name);
    return node == null ? null : new YamlFields(file, at(name), node);
  }

  /** Returns a text that must be there. */
  String required(String name, String example) {
    String value = text(name);
    if (value == null) {
      throw wrong(line, at(name), "is missing; write %s: %s".formatted(name, example));
    }
    return value;
  }

  /** Returns a text; null if it is not there. */
  @Nullable String text(String name) {
    Node node = fields.get(name);
    if (node == null) {
      return null;
    }
    if (!(node instanceof ScalarNode scalar) || scalar.getValue().isEmpty()) {
      throw refused(name, "must be a value, not empty and not a list");
    }
    return scalar.getValue();
  }

  Duration duration(String name, Duration otherwise) {
    String value = text(name);
    if (value == null) {
      return otherwise;
    }
    Matcher amount = AMOUNT.matcher(value);
    if (!amount.matches() || Long.parseLong(amount.group(1)) == 0) {
      throw refused(name, "must be a positive time such as 500ms, 10s, 5m, 1h or 7d, was " + value);
    }
    long count = Long.parseLong(amount.group(1));
    Duration duration =
        switch (amount.group(2)) {
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          case "h" -> Duration.ofHours(count);
          case "d" -> Duration.ofDays(count);
          default ->
              throw refused(name, "must be a time such as 500ms, 10s, 5m, 1h or 7d, was " + value);
        };
    if (duration.compareTo(LONGEST) > 0) {
      throw refused(name, "must be at most " + LONGEST.toDays() + "d, was " + value);
    }
    return duration;
  }

  /** Returns a number of bytes. */
  long bytes(String name, String example) {
    String value = required(name, example);
    Matcher amount = AMOUNT.matcher(value);
    int shift =
        switch (amount.matches() ? amount.group(2) : "") {
          case "KiB" -> 10;
          case "MiB" -> 20;
          case "GiB" -> 30;
          default ->
              throw refused(name, "must be a size such as 512KiB, 64MiB or 1GiB, was " + value);
        };
    return Long.parseLong(amount.group(1)) << shift;
  }

  /** Returns a whole number, from 1 to the largest. */
  long count(String name, long otherwise, long largest) {
    String value = text(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.matches("[1-9][0-9]{0,11}") || Long.parseLong(value) > largest) {
      throw refused(name, "must be a whole number from 1 to " + largest + ", was " + value);
    }
    return Long.parseLong(value);
  }

  double rate(String name, double otherwise) {
    String value = text(name);
    try {
      return value == null ? otherwise : Double.parseDouble(value);
    } catch (NumberFormatException e) {
      throw refused(name, "must be a part such as 0.001, was " + value);
    }
  }

  /**
   * Has a library look at what a field says: it knows what it takes.
   *
   * @param look throws IllegalArgumentException if it does not take it
   */
  void check(String name, Runnable look) {
    try {
      look.run();
    } catch (IllegalArgumentException e) {
      throw refused(name, "cannot be taken: " + Credentials.hidden(String.valueOf(e.getMessage())));
    }
  }

  /** Returns what is thrown about a field that names a file which cannot be read. */
  Failure unreadable(String name, Path named, IOException cause) {
    Node node = fields.get(name);
    int where = node == null ? line : lineOf(node.getStartMark());
    return Failure.io(
        "%s, line %d: %s names a file that cannot be read, %s"
            .formatted(file, where, at(name), named),
        cause);
  }

  /** Returns what is thrown about a field that is there. */
  Failure refused(String name, String sentence) {
    Node node = fields.get(name);
    return wrong(node == null ? line : lineOf(node.getStartMark()), at(name), sentence);
  }

  private String at(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private Failure wrong(int where, String field, String sentence) {
    String what = field.isEmpty() ? "the file" : field;
    return Failure.badInput("%s, line %d: %s %s".formatted(file, where, what, sentence));
  }
}
