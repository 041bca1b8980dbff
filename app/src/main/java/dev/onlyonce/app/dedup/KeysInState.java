package dev.onlyonce.app.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.output.ContinuedFile;
import dev.onlyonce.app.output.FileMark;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.local.LocalStore;
import dev.onlyonce.store.local.LocalTransaction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keys that are remembered in a directory, from run to run.
 *
 * <p><b>Guarantee.</b> Keys become durable together with how far the output files had been written
 * then, and not before those were on the disk. So whatever ends a run, what is behind that point in
 * the files belongs to keys that are not remembered, and is cut off by the next run. Where records
 * go to a stream, which cannot be cut back, a key is not remembered before its record is written,
 * and only the records of the last batch can be written again.
 *
 * <p>Not thread-safe.
 */
public final class KeysInState implements SeenKeys, Outputs.Marks {

  private static final String SETTINGS = "dedup/settings";
  private static final String RUN = "dedup/run";
  private static final String FILE = "dedup/file/";

  /** So many claims are made durable at once, where files can be cut back. */
  private static final int MANY_CLAIMS = 20_000;

  private static final int PURGE = 10_000;

  private final Path directory;
  private final LocalStore store;
  private final Consumer<String> notices;
  private final RunNote before;

  private @Nullable Outputs outputs;
  private @Nullable LocalTransaction transaction;
  private byte[] firstRecord = new byte[0];
  private long deliveredBefore;
  private long written;
  private int claims;

  private KeysInState(Path directory, LocalStore store, RunNote before, Consumer<String> notices) {
    this.directory = directory;
    this.store = store;
    this.before = before;
    this.notices = notices;
  }

  /**
   * Opens the state in a directory, or makes it.
   *
   * @param settings what makes records copies of each other; a state is for one such meaning only
   * @param clock the time in the records, null if the store's own counts
   * @param notices is told sentences for the user
   * @throws Failure if it was made with other settings
   */
  public static KeysInState open(
      Path directory, String settings, @Nullable EventClock clock, Consumer<String> notices) {
    Time time = clock == null ? Time.system() : clock;
    LocalStore store =
        LocalStore.at(directory)
            .owner("dedup")
            .purgeGrace(Duration.ZERO)
            .trustClock()
            .time(time)
            .open();
    try {
      String known = store.note(SETTINGS).map(bytes -> new String(bytes, UTF_8)).orElse(settings);
      if (!known.equals(settings)) {
        throw Failure.usage(
            "the state in %s is for %s, not for %s; use another directory"
                .formatted(directory, known, settings));
      }
      RunNote before = store.note(RUN).map(RunNote::of).orElse(RunNote.NONE);
      if (clock != null) {
        clock.startAt(store.millis());
      }
      KeysInState keys = new KeysInState(directory, store, before, notices);
      keys.transaction().note(SETTINGS, settings.getBytes(UTF_8));
      return keys;
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Tells whether a store is a state that goes by the time in the records. */
  public static boolean goesByRecords(LocalStore store) {
    return store
        .note(SETTINGS)
        .filter(settings -> new String(settings, UTF_8).contains(" --time "))
        .isPresent();
  }

  @Override
  public Outputs.Marks marks() {
    return this;
  }

  @Override
  public @Nullable FileMark of(String path) {
    return store.note(FILE + path).map(FileMark::of).orElse(null);
  }

  @Override
  public boolean isInterrupted() {
    return before.isOpen();
  }

  /** Refuses outputs among the state's own files, which would be taken for some of them. */
  private void requireOutside(Outputs opened) {
    for (ContinuedFile file : opened.continued()) {
      if (Path.of(file.key()).startsWith(ContinuedFile.key(directory))) {
        throw Failure.usage(
            "%s is in the directory of the state; write to a file elsewhere".formatted(file.key()));
      }
    }
  }

  /** Refuses a run that does not go on with the files of the one that was interrupted. */
  private void requireFiles(Outputs opened) {
    Set<String> missing = new TreeSet<>(before.isOpen() ? before.files() : Set.of());
    opened.continued().forEach(file -> missing.remove(file.key()));
    missing.removeIf(file -> !Files.exists(Path.of(file))); // nothing is left to be cut back
    if (!missing.isEmpty()) {
      throw Failure.files(
          "the last run with this state was interrupted while it wrote "
              + String.join(" and ", missing)
              + "; run it again with the same files, so that they can be cut back");
    }
  }

  @Override
  public long begin(Outputs begun, byte[] first) {
    requireOutside(begun);
    requireFiles(begun);
    outputs = begun;
    firstRecord = first;
    if (before.isOpen() && before.delivered() > 0) {
      if (Arrays.equals(before.firstRecord(), first)) {
        deliveredBefore = before.delivered();
      } else {
        notices.accept(
            "the last run with this state was interrupted, but its input began with another record;"
                + " this input is taken as a new one");
      }
    }
    begun.begin();
    commit(true);
    return deliveredBefore;
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    claims += batch.size();
    return store.claim(transaction(), batch, Duration.ZERO);
  }

  private LocalTransaction transaction() {
    if (transaction == null) {
      transaction = store.begin();
    }
    return transaction;
  }

  @Override
  public boolean isDue() {
    return outputs == null || !outputs.canBeCutBack() || claims >= MANY_CLAIMS;
  }

  @Override
  public void written(long records, boolean isEnd) {
    if (records > written || isEnd) {
      written = records;
      commit(!isEnd);
    }
  }

  private void commit(boolean isOpen) {
    try (LocalTransaction open = transaction()) {
      transaction = null;
      claims = 0;
      List<ContinuedFile> files = outputs == null ? List.of() : outputs.continued();
      for (ContinuedFile file : files) {
        open.note(FILE + file.key(), file.mark().toBytes());
      }
      Set<String> paths =
          files.stream().map(ContinuedFile::key).collect(Collectors.toCollection(TreeSet::new));
      long delivered = Math.max(written, deliveredBefore);
      open.note(RUN, new RunNote(isOpen, delivered, firstRecord, paths).toBytes());
      open.commit();
    }
  }

  @Override
  public int forget() {
    if (transaction != null) {
      return 0;
    }
    int all = 0;
    int some;
    do {
      some = store.purge(PURGE);
      all += some;
    } while (some == PURGE);
    return all;
  }

  @Override
  public void close() {
    if (transaction != null) {
      transaction.close();
      transaction = null;
    }
    store.close();
  }
}
