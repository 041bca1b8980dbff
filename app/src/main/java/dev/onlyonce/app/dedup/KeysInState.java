package dev.onlyonce.app.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.output.ContinuedFile;
import dev.onlyonce.app.output.FileMark;
import dev.onlyonce.app.output.Outputs;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Time;
import dev.onlyonce.store.local.LocalReader;
import dev.onlyonce.store.local.LocalStore;
import dev.onlyonce.store.local.LocalTransaction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
  private static final String LAYOUT = "dedup/layout";
  private static final String RUN = "dedup/run";
  private static final String FILE = "dedup/file/";

  /** So many claims are made durable at once, where files can be cut back. */
  private static final int MANY_CLAIMS = 20_000;

  private static final int PURGE = 10_000;

  private final StateDirectory directory;
  private final String settings;
  private final @Nullable EventClock clock;
  private final Consumer<String> notices;

  /** Null until the run begins, if there is no state yet. */
  private @Nullable LocalStore store;

  private RunNote before = RunNote.NONE;
  private @Nullable Outputs outputs;
  private @Nullable LocalTransaction transaction;
  private byte[] firstRecord = new byte[0];
  private long deliveredBefore;
  private long written;
  private int claims;

  private KeysInState(
      StateDirectory directory,
      String settings,
      @Nullable EventClock clock,
      Consumer<String> notices) {
    this.directory = directory;
    this.settings = settings;
    this.clock = clock;
    this.notices = notices;
  }

  /**
   * Opens the state in a directory. If there is none, it is made when the run begins, so that a run
   * that is refused leaves nothing.
   *
   * @param expressions what makes records copies of each other; a state is for one such meaning
   * @param clock the time in the records, null if the store's own counts
   * @param notices is told sentences for the user
   * @throws Failure if it was made with other settings, or cannot be made among what is there
   */
  public static KeysInState open(
      Path path, KeyExpressions expressions, @Nullable EventClock clock, Consumer<String> notices) {
    KeysInState keys =
        new KeysInState(StateDirectory.of(path), expressions.toString(), clock, notices);
    if (keys.directory.hasState()) {
      keys.openStore();
    }
    return keys;
  }

  private void openStore() {
    LocalStore opened =
        LocalStore.at(directory.path())
            .owner("dedup")
            .purgeGrace(Duration.ZERO)
            .trustClock()
            .time(clock == null ? Time.system() : clock)
            .open();
    try {
      requireOurs(opened);
      before = opened.note(RUN).map(RunNote::of).orElse(RunNote.NONE);
      if (clock != null) {
        clock.startAt(opened.millis());
      }
      store = opened;
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  /** Refuses a store that keeps something else, or other keys. */
  private void requireOurs(LocalStore opened) {
    Optional<String> known = text(opened.note(SETTINGS));
    if (known.isEmpty() && !opened.scopes().isEmpty()) {
      throw Failure.usage(
          "the store in %s is not a state of dedup; use another directory"
              .formatted(directory.path()));
    }
    known.ifPresent(made -> requireSame("", made, settings));
  }

  private void requireSame(String subject, String made, String wanted) {
    if (!made.equals(wanted)) {
      throw Failure.usage(
          "the state in %s is for %s%s, not for %s; use another directory"
              .formatted(directory.path(), subject, made, wanted));
    }
  }

  private static Optional<String> text(Optional<byte[]> note) {
    return note.map(bytes -> new String(bytes, UTF_8));
  }

  /** Makes a state where there was none when this run was opened. */
  private LocalStore make() {
    directory.make();
    openStore();
    LocalStore made = store();
    if (made.note(SETTINGS).isPresent()) {
      throw Failure.files(
          "another run has made the state in %s meanwhile; run this again"
              .formatted(directory.path()));
    }
    return made;
  }

  private LocalStore store() {
    return Objects.requireNonNull(store, "the run has begun");
  }

  /** Tells whether a store is a state that goes by the time in the records. */
  public static boolean goesByRecords(LocalStore store) {
    return hasTime(store.note(SETTINGS));
  }

  /** Tells whether a store is a state that goes by the time in the records. */
  public static boolean goesByRecords(LocalReader reader) {
    return hasTime(reader.note(SETTINGS));
  }

  private static boolean hasTime(Optional<byte[]> settings) {
    return text(settings).filter(KeyExpressions::hasTime).isPresent();
  }

  @Override
  public Outputs.Marks marks() {
    return this;
  }

  @Override
  public @Nullable FileMark of(String path) {
    return store == null ? null : store.note(FILE + path).map(FileMark::of).orElse(null);
  }

  @Override
  public boolean isInterrupted() {
    return before.isOpen();
  }

  /** Refuses outputs among the state's own files, which would be taken for some of them. */
  private void requireOutside(Outputs opened) {
    for (ContinuedFile file : opened.continued()) {
      if (Path.of(file.key()).startsWith(ContinuedFile.key(directory.path()))) {
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
  public long begin(Outputs begun, byte[] first, @Nullable String layout) {
    requireOutside(begun);
    LocalStore known = store == null ? make() : store;
    if (layout != null) {
      text(known.note(LAYOUT)).ifPresent(made -> requireSame("input that is ", made, layout));
      transaction().note(LAYOUT, layout.getBytes(UTF_8));
    }
    transaction().note(SETTINGS, settings.getBytes(UTF_8));
    requireFiles(begun);
    outputs = begun;
    firstRecord = first;
    resume(begun, first);
    begun.begin();
    commit(true);
    return deliveredBefore;
  }

  /** Goes on where an interrupted run has ended, if this is its input. */
  private void resume(Outputs begun, byte[] first) {
    if (!before.isOpen()) {
      return;
    }
    if (Arrays.equals(before.firstRecord(), first)) {
      deliveredBefore = before.delivered();
      return;
    }
    if (before.delivered() > 0) {
      notices.accept(
          "the last run with this state was interrupted, but its input began with another record;"
              + " this input is taken as a new one");
    }
    for (ContinuedFile file : begun.continued()) {
      if (file.excess() > 0) {
        notices.accept(
            ("%s cut off %s: the interrupted run had not made sure of it, and its keys are not"
                    + " known; run its input again to have these records")
                .formatted(Quantity.of(file.excess(), "byte"), file.name()));
      }
    }
  }

  @Override
  public List<Answer> claim(List<ClaimRequest> batch) {
    claims += batch.size();
    return store().claim(transaction(), batch, Duration.ZERO);
  }

  private LocalTransaction transaction() {
    if (transaction == null) {
      transaction = store().begin();
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
      some = store().purge(PURGE);
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
    if (store != null) {
      store.close();
    }
  }
}
