package dev.onlyonce.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onlyonce.app.cli.InProcess.Result;
import dev.onlyonce.store.local.LocalStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code onlyonce bench} says; that it is right about the time cannot be asserted. */
class BenchCommandTest {

  @TempDir Path folder;

  private void makeStore() {
    LocalStore.at(folder.resolve("store")).open().close();
  }

  private Result run(String... arguments) {
    return new InProcess(folder).run(arguments);
  }

  @Test
  void each_kind_of_work_has_a_line() {
    makeStore();
    Result result = run("bench", "--state", "@store", "--for=50ms", "--threads=4", "--batch=100");

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.lines())
        .hasSize(4)
        .allSatisfy(line -> assertThat(line).containsPattern("[1-9][0-9,]* keys/s .* us"));
    assertThat(result.lines().get(0)).contains("100 keys, 1 thread");
    assertThat(result.lines().get(3)).contains("combined", "a key, 4 threads");
  }

  @Test
  void one_is_said_as_one() {
    makeStore();
    Result result = run("bench", "--state", "@store", "--for=20ms", "--threads=1", "--batch=1");

    assertThat(result.lines())
        .hasSize(4)
        .allSatisfy(line -> assertThat(line).contains(" a key, 1 thread: "));
  }

  @Test
  void the_keys_are_of_its_own_scope_and_are_done() {
    makeStore();
    Result result = run("bench", "--state", "@store", "--for=20ms", "--threads=2", "--batch=10");
    String stats = run("claims", "stats", "--by-scope", "--json", "--state", "@store").out();

    assertThat(result.code()).isZero();
    assertThat(stats.lines())
        .hasSize(2)
        .first()
        .asString()
        .contains("\"scope\":\"onlyonce/bench\"");
    assertThat(stats).doesNotContainPattern("\"claimed\":[1-9]");
  }

  @Test
  void json_has_an_object_for_each_kind_of_work() {
    makeStore();
    Result result = run("bench", "--state", "@store", "--for=20ms", "--threads=2", "--json");

    assertThat(result.lines())
        .hasSize(4)
        .allSatisfy(
            line -> assertThat(line).matches("\\{\"work\":.*\"keysPerSecond\":[1-9][0-9]*,.*}"));
  }

  @Test
  void senseless_amounts_are_refused() {
    for (List<String> wrong :
        List.of(
            List.of("--threads=0", "--threads may be from 1 to 1,000, was 0"),
            List.of("--batch=0", "--batch may be from 1 to "),
            List.of("--batch=1000000", "--batch may be from 1 to "),
            List.of("--for=0s", "not a positive time"))) {
      Result result = run("bench", "--state", "@store", wrong.get(0));
      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains(wrong.get(1));
      assertThat(folder).isEmptyDirectory();
    }
  }
}
