package dev.onlyonce.testkit.history;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.spi.Time;
import dev.onlyonce.testkit.history.HistoryEvent.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {
  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("history");
  }

  @Test
  void an_event_is_read_back_with_its_writer_its_time_and_its_place() {
    Instant now = Instant.parse("2026-03-29T01:59:59.123456Z");
    try (HistoryFile history = HistoryFile.open(file, "w-1", fixed(now))) {
      history.append(HistoryEvent.of(Kind.EFFECT, "a", 7));
      long length = history.lengthBytes();
      history.append(HistoryEvent.killed("w-2").since(length));

      List<History.Entry> entries = HistoryFile.read(file).entries();
      assertThat(entries).extracting(History.Entry::line).containsExactly(1, 2);
      assertThat(entries.get(0).startBytes()).isZero();
      assertThat(entries.get(0).endBytes()).isLessThanOrEqualTo(length);
      assertThat(entries.get(1).startBytes()).isEqualTo(length);
      assertThat(entries.get(0).event().process()).isEqualTo("w-1");
      assertThat(entries.get(0).event().at()).isEqualTo(now);
      assertThat(entries.get(1).event().process()).isEqualTo("w-2");
      assertThat(entries.get(1).event().sinceBytes()).isEqualTo(length);
    }
  }

  @Test
  void a_history_goes_on_where_an_earlier_process_left_it() {
    appendAs("w-1", "a");
    appendAs("w-2", "b");
    assertThat(keys(HistoryFile.read(file))).containsExactly("a", "b");
  }

  @Test
  void a_torn_last_line_is_tolerated_at_every_place() throws IOException {
    appendAs("w-1", "a");
    appendAs("w-1", "b");
    String whole = Files.readString(file, US_ASCII);
    int second = whole.indexOf('\n') + 1;
    for (int length = second; length < whole.length() - 1; length++) {
      Files.writeString(file, whole.substring(0, length), US_ASCII);
      History history = HistoryFile.read(file);
      assertThat(keys(history)).containsExactly("a");
      assertThat(history.tornLines()).hasSize(length == second ? 0 : 1);
    }
  }

  @Test
  void a_torn_line_does_not_spoil_the_event_that_another_process_appends_after_it()
      throws IOException {
    appendAs("w-1", "a");
    String line = Files.readString(file, US_ASCII);
    for (int length = 1; length < line.length(); length++) {
      Files.writeString(file, line.substring(0, length), US_ASCII);
      appendAs("w-2", "b");
      appendAs("w-2", "c");
      History history = HistoryFile.read(file);
      boolean onlyLineEndLost = length == line.length() - 1;
      assertThat(keys(history)).endsWith("b", "c").hasSize(onlyLineEndLost ? 3 : 2);
      assertThat(history.tornLines()).isEqualTo(onlyLineEndLost ? List.of() : List.of(1));
      assertThat(history.entries().get(history.entries().size() - 1).line()).isEqualTo(2);
    }
  }

  @Test
  void foreign_text_is_refused_with_file_and_line() throws IOException {
    for (String foreign : List.of("hello\n", ">hello<\n", ">he\nllo", ">killed process=a< \n")) {
      Files.deleteIfExists(file);
      appendAs("w-1", "a");
      Files.writeString(file, foreign, US_ASCII, StandardOpenOption.APPEND);
      assertThatThrownBy(() -> HistoryFile.read(file))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageMatching("(?s).*history line [12] .*");
    }
  }

  @Test
  void an_empty_file_is_an_empty_history() throws IOException {
    Files.createFile(file);
    assertThat(HistoryFile.read(file).entries()).isEmpty();
  }

  @Test
  void an_event_that_is_too_long_is_refused_and_nothing_is_written() {
    try (HistoryFile history = HistoryFile.open(file, "w-1")) {
      HistoryEvent event = HistoryEvent.acknowledged("k".repeat(HistoryFile.MAX_LINE_BYTES));
      assertThatThrownBy(() -> history.append(event))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("8192 bytes");
      assertThat(history.lengthBytes()).isZero();
    }
  }

  @Test
  void an_interrupted_thread_appends_all_the_same_and_stays_interrupted() {
    try (HistoryFile history = HistoryFile.open(file, "w-1")) {
      Thread.currentThread().interrupt();
      history.append(HistoryEvent.acknowledged("a"));
      assertThat(history.lengthBytes()).isPositive();
      assertThat(Thread.interrupted()).isTrue();
      history.append(HistoryEvent.acknowledged("b"));
    }
    assertThat(keys(HistoryFile.read(file))).containsExactly("a", "b");
  }

  @Test
  void what_was_appended_before_the_length_was_asked_for_ends_below_it_whoever_wrote_it()
      throws Exception {
    int writers = 4;
    int each = 500;
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        String name = "w-" + writer;
        done.add(threads.submit(() -> appendWithLength(name, each)));
      }
      for (Future<?> writer : done) {
        writer.get();
      }
    } finally {
      threads.shutdownNow();
    }
    List<History.Entry> entries = HistoryFile.read(file).entries();
    assertThat(entries).hasSize(writers * each);
    for (int writer = 0; writer < writers; writer++) {
      String name = "w-" + writer;
      List<History.Entry> own =
          entries.stream().filter(entry -> entry.event().process().equals(name)).toList();
      for (int i = 0; i < each; i++) {
        assertThat(own.get(i).event().key()).isEqualTo("k" + i);
        assertThat(own.get(i).event().sinceBytes()).isLessThanOrEqualTo(own.get(i).startBytes());
        if (i > 0) {
          assertThat(own.get(i - 1).endBytes())
              .isLessThanOrEqualTo(own.get(i).event().sinceBytes());
        }
      }
    }
  }

  private static Time fixed(Instant now) {
    return new Time() {
      @Override
      public Instant instant() {
        return now;
      }

      @Override
      public long nanoTime() {
        return 0;
      }
    };
  }

  private void appendWithLength(String process, int count) {
    try (HistoryFile history = HistoryFile.open(file, process)) {
      for (int i = 0; i < count; i++) {
        history.append(HistoryEvent.acknowledged("k" + i).since(history.lengthBytes()));
      }
    }
  }

  private void appendAs(String process, String key) {
    try (HistoryFile history = HistoryFile.open(file, process)) {
      history.append(HistoryEvent.acknowledged(key));
    }
  }

  private static List<String> keys(History history) {
    return history.entries().stream().map(entry -> entry.event().key()).toList();
  }
}
