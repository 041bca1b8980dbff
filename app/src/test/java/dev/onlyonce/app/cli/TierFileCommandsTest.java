package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What all commands that take a store make of a file of tiers that is not as it should be. */
class TierFileCommandsTest {

  private static final Map<String, String> ARGUMENTS =
      Map.ofEntries(
          Map.entry("onlyonce bench", ""),
          Map.entry("onlyonce claims history", "key"),
          Map.entry("onlyonce claims list", ""),
          Map.entry("onlyonce claims release", "key"),
          Map.entry("onlyonce claims reset", "key"),
          Map.entry("onlyonce claims resolve", "key --done"),
          Map.entry("onlyonce claims show", "key"),
          Map.entry("onlyonce claims stats", ""),
          Map.entry("onlyonce dedup", "--scope=s"),
          Map.entry("onlyonce demo", "--callbacks=300 --kills=1"),
          Map.entry("onlyonce doctor", ""),
          Map.entry("onlyonce schema", ""));

  @TempDir Path folder;

  private static Map<String, CommandSpec> takingStores() {
    Map<String, CommandSpec> found = new TreeMap<>();
    collect(Main.commandLine(), found);
    return found;
  }

  private static void collect(CommandLine command, Map<String, CommandSpec> found) {
    CommandSpec spec = command.getCommandSpec();
    if (spec.findOption("--store") != null) {
      found.put(spec.qualifiedName(), spec);
    }
    command.getSubcommands().values().forEach(it -> collect(it, found));
  }

  @Test
  void each_refuses_values_out_of_range_with_file_line_and_field() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("bad.yaml"),
            """
            authority: database
            database:
              url: jdbc:h2:mem:never
            redis:
              url: redis://127.0.0.1:1
              copies-kept: 48h
            """);
    assertThat(takingStores()).containsOnlyKeys(ARGUMENTS.keySet());
    for (Map.Entry<String, String> each : ARGUMENTS.entrySet()) {
      List<String> words = new ArrayList<>(Arrays.asList(each.getKey().split(" ")));
      words.remove(0);
      words.addAll(each.getValue().isEmpty() ? List.of() : List.of(each.getValue().split(" ")));
      words.add("--store=tiered:" + file);
      Result refused = new InProcess(folder).run(words.toArray(String[]::new));
      assertThat(refused.err())
          .as(each.getKey())
          .contains("bad.yaml, line 6: redis.copies-kept cannot be taken: ");
      assertThat(refused.code()).as(each.getKey()).isEqualTo(3);
    }
  }

  @Test
  void each_lists_the_exit_codes_of_a_file_that_is_wrong_or_cannot_be_read() {
    takingStores()
        .forEach(
            (name, spec) -> {
              Map<String, String> codes = spec.usageMessage().exitCodeList();
              assertThat(codes).as(name).containsKeys("0", "2", "3", "4");
              assertThat(codes.get("3")).as(name).contains("the file of a tiered store");
            });
  }
}
