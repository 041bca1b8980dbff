package dev.onlyonce.app.dedup;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.MemoryStore;
import dev.onlyonce.app.input.Input;
import dev.onlyonce.app.input.ReadSettings;
import dev.onlyonce.app.input.RecordReader;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.app.output.RecordWriter;
import dev.onlyonce.app.output.Rejects;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimStore;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.spi.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run does with its store: windows, on a clock that goes on by a second a look; its end. */
class DedupTest {
  @TempDir Path folder;

  @Test
  void a_key_is_forgotten_when_the_window_since_its_first_arrival_is_over() throws IOException {
    MemoryStore store = MemoryStore.builder().time(new Ticking()).forgetful().build();

    // One file is one batch, and so one look at the clock.
    Counts counts = run(store, Duration.ofSeconds(3), "a\n", "a\n", "b\n", "a\n", "b\n", "a\n");

    assertThat(Files.readString(folder.resolve("out"))).isEqualTo("a\nb\na\n");
    assertThat(counts).isEqualTo(new Counts(6, 3, 3, 0, 0, 0, 0, 0));
  }

  @Test
  void what_is_older_than_the_window_is_purged_from_the_store() throws IOException {
    MemoryStore store =
        MemoryStore.builder().time(new Ticking()).purgeGrace(Duration.ZERO).forgetful().build();
    List<String> files = new ArrayList<>();
    for (int file = 0; file < 24; file++) {
      StringBuilder keys = new StringBuilder();
      for (int i = 0; i < 5_000; i++) {
        keys.append(file).append('/').append(i).append('\n');
      }
      files.add(keys.toString());
    }
    Purged purged = new Purged(store);

    Counts counts = run(purged, Duration.ofSeconds(12), files.toArray(String[]::new));

    assertThat(counts.passed()).isEqualTo(120_000);
    assertThat(purged.records).isBetween(50_000L, 120_000L);
  }

  /** All keys of a batch were claimed before any record was written, and those then were lost. */
  @Test
  void a_store_that_is_full_ends_the_run_behind_the_last_record_that_it_remembers()
      throws IOException {
    MemoryStore store = MemoryStore.builder().capacity(1_700).forgetful().build();
    String lines = IntStream.range(0, 4_000).mapToObj(i -> i + "\n").collect(joining());

    assertThatThrownBy(() -> run(store, Duration.ofDays(1), lines))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the memory store is full");

    assertThat(Files.readAllLines(folder.resolve("out"))).hasSize(1_700).endsWith("1699");
  }

  private Counts run(ClaimStore store, Duration window, String... contents) throws IOException {
    List<Input> inputs = new ArrayList<>();
    for (int i = 0; i < contents.length; i++) {
      inputs.add(Input.file(Files.writeString(folder.resolve("in" + i), contents[i])));
    }
    RecordReader reader = new RecordReader(inputs, ReadSettings.defaults());
    Rejects rejects = Rejects.badRecords("fail", sentence -> {});
    try (store;
        Outputs outputs = new Outputs(inputs)) {
      RecordWriter out = outputs.file("--out", folder.resolve("out"));
      return new Dedup(
              new KeysInMemory(store),
              window,
              null,
              new Destinations(out, null, rejects, rejects, rejects))
          .run(reader, new KeyExpressions(List.of(), null), outputs);
    }
  }

  /** Counts what a store was told to forget. */
  private static final class Purged implements ClaimStore {
    private final ClaimStore store;
    private long records;

    Purged(ClaimStore store) {
      this.store = store;
    }

    @Override
    public List<Answer> claim(List<ClaimRequest> batch) {
      return store.claim(batch);
    }

    @Override
    public List<Held> settle(List<? extends Settlement> batch) {
      return store.settle(batch);
    }

    @Override
    public List<Held> renew(List<Renewal> batch) {
      return store.renew(batch);
    }

    @Override
    public int purge(int limit) {
      int purged = store.purge(limit);
      records += purged;
      return purged;
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /** A clock that shows a second more whenever it is looked at. */
  private static final class Ticking implements Time {
    private long seconds;

    @Override
    public long nanoTime() {
      return ++seconds * 1_000_000_000L;
    }

    @Override
    public Instant instant() {
      return Instant.EPOCH;
    }
  }
}
