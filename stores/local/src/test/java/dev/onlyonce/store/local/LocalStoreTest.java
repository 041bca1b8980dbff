package dev.onlyonce.store.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimReader.Query;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.ClaimState;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Settlement;
import dev.onlyonce.spi.StoreException;
import dev.onlyonce.testkit.Case;
import dev.onlyonce.testkit.ManualTime;
import dev.onlyonce.testkit.Semantics;
import dev.onlyonce.testkit.process.WorkerProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the contract does not ask for: the directory, its reader, its space and its clock. */
class LocalStoreTest {

  private static final Scope SCOPE = Scope.of("billing");
  private static final Duration DAY = Duration.ofDays(1);

  @TempDir private Path directory;
  private final ManualTime time = new ManualTime();

  private LocalStore.Builder store() {
    return LocalStore.at(directory).time(time).segmentBytes(8_192).purgeGrace(Duration.ZERO);
  }

  private static ClaimRequest request(String key) {
    long requestId = ThreadLocalRandom.current().nextLong();
    return ClaimRequest.of(SCOPE, Key.of(key), requestId, Duration.ofSeconds(30), Lapse.TAKE);
  }

  private static ClaimRequest done(String key, Duration retention) {
    return request(key).settlingNow(Result.NONE, retention);
  }

  private static Answer claim(LocalStore store, ClaimRequest request) {
    return store.claim(List.of(request)).get(0);
  }

  private static void fill(LocalStore store, String prefix, int keys, Duration retention) {
    for (int from = 0; from < keys; from += 50) {
      store.claim(
          IntStream.range(from, from + 50).mapToObj(i -> done(prefix + i, retention)).toList());
    }
  }

  /** All but the snapshots, which are taken in the background. */
  private Map<String, byte[]> files() throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (String name : names("")) {
      if (!name.startsWith("snap-")) {
        files.put(name, Files.readAllBytes(directory.resolve(name)));
      }
    }
    return files;
  }

  private List<String> names(String prefix) throws IOException {
    try (Stream<Path> paths = Files.list(directory)) {
      return paths
          .map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(prefix))
          .sorted()
          .toList();
    }
  }

  private List<String> segments() throws IOException {
    return names("log-");
  }

  // The directory.

  /** A "stale" lock file was deleted by hand while its owner lived, and both wrote. */
  @Test
  @Semantics(99)
  @Case(31)
  void a_writer_whose_lock_was_deleted_writes_nothing_any_more() throws IOException {
    LocalStore store = store().open();
    claim(store, request("a"));
    Files.delete(directory.resolve("lock"));
    time.advance(Duration.ofSeconds(1));

    assertThatThrownBy(() -> claim(store, request("b")))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.UNAVAILABLE))
        .hasMessageContaining("lock was deleted or replaced");

    store.close();
    try (LocalStore next = store().open()) {
      assertThat(next.find(SCOPE, Key.of("a"))).isPresent();
      assertThat(next.find(SCOPE, Key.of("b"))).isEmpty();
    }
  }

  @Test
  void who_is_interrupted_opens_and_closes_all_the_same_and_stays_interrupted() {
    Thread.currentThread().interrupt();
    LocalStore store = store().open();
    assertThat(Thread.interrupted()).isTrue();
    fill(store, "order-", 1_000, DAY); // there are snapshots to be waited for
    Thread.currentThread().interrupt();
    store.close();
    assertThat(Thread.interrupted()).isTrue();
    store().open().close();
  }

  /** Opening read how large it was, and asked for as much memory. */
  @Test
  void a_snapshot_of_nonsense_is_left_alone_however_large_it_is() throws IOException {
    try (LocalStore store = store().open()) {
      fill(store, "order-", 1_000, DAY);
    }
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve(names("snap-").get(0)).toFile(), "rw")) {
      file.setLength(1L << 40);
    }
    try (LocalStore store = store().open()) {
      assertThat(store.totals().values()).containsExactly(1_000L);
    }
  }

  /** Two processes shared an embedded store and overwrote each other. */
  @Test
  @Semantics({76, 99})
  @Case(31)
  void a_second_writer_is_refused_and_the_first_goes_on() throws IOException {
    try (LocalStore store = store().open()) {
      assertThatThrownBy(() -> store().open())
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "the local store in %s is in use by this process: end that, or use another directory",
              directory);
      assertThat(claim(store, request("a"))).isInstanceOf(Answer.Claimed.class);
      assertThat(Files.readString(directory.resolve("lock")))
          .isEqualTo(ProcessHandle.current().pid() + "\n");
    }
    store().open().close();
  }

  /** The refusal closed the lock's file, and with that took the lock of the first away. */
  @Test
  @Semantics(99)
  @Case(31)
  void a_writer_that_refused_one_of_its_own_process_still_refuses_another_process() {
    try (LocalStore store = store().open()) {
      assertThatThrownBy(() -> store().open()).isInstanceOf(StoreException.class);
      try (WorkerProcess other =
          WorkerProcess.of(OtherWriter.class).arguments(directory.toString()).start()) {
        assertThat(other.awaitLine(line -> true, Duration.ofSeconds(60)))
            .isEqualTo(
                "the local store in %s is in use by process %d: end that, or use another directory"
                    .formatted(directory, ProcessHandle.current().pid()));
      }
      assertThat(claim(store, request("a"))).isInstanceOf(Answer.Claimed.class);
    }
  }

  /** Tries to open a store, and says what came of it. */
  static final class OtherWriter {
    public static void main(String[] args) {
      try (LocalStore store = LocalStore.open(Path.of(args[0]))) {
        System.out.println("opened, with " + store.totals());
      } catch (StoreException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  @Semantics(81)
  void a_newer_format_is_refused_and_left_as_it_is() throws IOException {
    for (String prefix : List.of("store", "log-")) {
      try (LocalStore store = store().open()) {
        claim(store, request("a"));
      }
      Path file =
          directory.resolve(
              files().keySet().stream().filter(name -> name.startsWith(prefix)).findFirst().get());
      byte[] bytes = Files.readAllBytes(file);
      bytes[8]++;
      Files.write(file, bytes);
      Map<String, byte[]> before = files();
      assertThatThrownBy(() -> store().open())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(
              file.getFileName() + " has format 2, and this version reads up to 1");
      assertSame(before);
      bytes[8] = 0; // no version ever wrote that
      Files.write(file, bytes);
      assertThatThrownBy(() -> store().open()).hasMessageContaining(" is damaged at offset 0");
      bytes[8] = 1;
      Files.write(file, bytes);
    }
  }

  private void assertSame(Map<String, byte[]> before) throws IOException {
    Map<String, byte[]> after = files();
    assertThat(after.keySet()).isEqualTo(before.keySet());
    before.forEach(
        (name, bytes) -> {
          if (!name.equals("lock")) {
            assertThat(after.get(name)).as(name).isEqualTo(bytes);
          }
        });
  }

  /** Anything but the end of the last segment: a bit that flipped is refused with its place. */
  @Test
  @Semantics(76)
  @Case(29)
  void damage_in_the_middle_is_refused_with_file_and_offset() throws IOException {
    try (LocalStore store = store().open()) {
      fill(store, "order-", 1_000, DAY);
    }
    for (String name : names("snap-")) {
      Files.delete(directory.resolve(name)); // it would be believed, and the segment not read
    }
    String first = segments().get(0);
    Path file = directory.resolve(first);
    byte[] whole = Files.readAllBytes(file);
    for (int offset = 12;
        offset < Integer.parseInt(segments().get(1).substring(4), 16);
        offset += 7) {
      byte[] bytes = whole.clone();
      bytes[offset] ^= 4;
      Files.write(file, bytes);
      Map<String, byte[]> before = files();
      assertThatThrownBy(() -> store().open())
          .as("offset %d", offset)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(first + " is damaged at offset ");
      assertSame(before);
    }
    Files.write(file, whole);
    store().open().close();
  }

  /** A crash leaves a broken frame at the end, but not in a store that was closed. */
  @Test
  @Semantics(76)
  @Case(29)
  void damage_to_the_end_of_a_store_that_was_closed_is_not_taken_for_a_crash() throws IOException {
    try (LocalStore store = store().open()) {
      claim(store, done("a", DAY));
      claim(store, done("b", DAY));
    }
    Path file = directory.resolve(segments().get(0));
    byte[] whole = Files.readAllBytes(file);
    int end = endOf(whole);
    for (int offset = 12; offset < end; offset += 7) {
      byte[] flipped = whole.clone();
      flipped[offset] ^= 4;
      assertDamaged(file, flipped);
      byte[] zeroed = whole.clone();
      Arrays.fill(zeroed, offset, zeroed.length, (byte) 0);
      assertDamaged(file, zeroed);
      assertDamaged(file, Arrays.copyOf(whole, offset));
    }
    Files.write(file, whole);

    Files.write(directory.resolve("closed"), new byte[5]); // torn: it tells nothing
    try (LocalStore store = store().open()) {
      assertThat(store.totals()).containsEntry(ClaimState.DONE, 2L);
    }
  }

  private void assertDamaged(Path file, byte[] content) throws IOException {
    Files.write(file, content);
    Map<String, byte[]> before = files();
    assertThatThrownBy(() -> store().open()).hasMessageContaining(" is damaged at offset ");
    assertThatThrownBy(() -> LocalReader.open(directory)).hasMessageContaining(" is damaged at ");
    assertSame(before);
  }

  private static int endOf(byte[] log) {
    int end = log.length;
    while (log[end - 1] == 0) {
      end--;
    }
    return end;
  }

  /** Not even the whole of the last segment can go unseen. */
  @Test
  @Semantics(76)
  void a_last_segment_that_is_missing_after_the_store_was_closed_is_refused() throws IOException {
    try (LocalStore store = store().open()) {
      fill(store, "order-", 1_000, DAY);
    }
    List<String> segments = segments();
    Files.delete(directory.resolve(segments.get(segments.size() - 1)));

    assertThatThrownBy(() -> store().open()).hasMessageContaining("when the store was closed");
  }

  /** It would look like a new store, in which every key may run. */
  @Test
  @Semantics(76)
  void a_store_that_has_lost_its_log_is_refused_by_writers_and_readers() throws IOException {
    store().open().close();
    Path log = directory.resolve(segments().get(0));
    byte[] whole = Files.readAllBytes(log);
    Files.delete(log);
    assertRefused("there is no log beside it");
    Files.write(log, new byte[0]);
    assertRefused("it does not begin as a segment does");
    Files.write(log, whole);
    store().open().close();

    try (LocalStore store = store().open()) {
      claim(store, done("a", DAY));
    }
    Files.delete(directory.resolve("store"));
    assertRefused("it is missing, but there is a log");
  }

  private void assertRefused(String why) throws IOException {
    Map<String, byte[]> before = files();
    assertThatThrownBy(() -> store().open()).hasMessageContaining(why);
    assertThatThrownBy(() -> LocalReader.open(directory)).hasMessageContaining(why);
    assertSame(before);
  }

  @Test
  @Semantics(76)
  void a_missing_segment_is_refused() throws IOException {
    try (LocalStore store = store().open()) {
      fill(store, "order-", 1_000, DAY);
    }
    Files.delete(directory.resolve(segments().get(1)));
    assertThatThrownBy(() -> store().open())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is damaged");
  }

  @Test
  @Semantics(76)
  void a_damaged_snapshot_is_not_believed() throws IOException {
    try (LocalStore store = store().open()) {
      fill(store, "order-", 1_000, DAY);
    }
    assertThat(names("snap-")).isNotEmpty();
    for (String name : names("snap-")) {
      byte[] bytes = Files.readAllBytes(directory.resolve(name));
      bytes[bytes.length / 2] ^= 1;
      Files.write(directory.resolve(name), bytes);
    }
    try (LocalStore store = store().open()) {
      assertThat(store.totals()).isEqualTo(Map.of(ClaimState.DONE, 1_000L));
      assertThat(claim(store, done("order-77", DAY))).isInstanceOf(Answer.Done.class);
    }
  }

  // Readers.

  @Test
  @Semantics(99)
  void a_reader_beside_the_writer_sees_what_was_answered_when_it_looks() throws IOException {
    try (LocalStore store = store().open()) {
      fill(store, "order-", 500, DAY);
      Map<String, byte[]> before = files();
      try (LocalReader reader = LocalReader.open(directory, time)) {
        assertSame(before);
        assertThat(reader.find(SCOPE, Key.of("order-7")).map(ClaimRecord::state))
            .hasValue(ClaimState.DONE);
        fill(store, "later-", 500, DAY);
        assertThat(reader.find(SCOPE, Key.of("later-7"))).isEmpty();
        reader.refresh();
        assertThat(reader.find(SCOPE, Key.of("later-7")).map(ClaimRecord::state))
            .hasValue(ClaimState.DONE);
        assertThat(reader.list(Query.all(2_000), null).records()).hasSize(1_000);
      }
      assertThat(claim(store, request("another"))).isInstanceOf(Answer.Claimed.class);
    }
  }

  @Test
  void a_store_that_must_be_there_is_not_made() {
    Path nowhere = directory.resolve("nowhere");
    assertThatThrownBy(() -> LocalStore.at(nowhere).existing().open())
        .isInstanceOf(StoreException.class)
        .hasMessage("there is no local store in " + nowhere);
    assertThat(nowhere).doesNotExist();
    store().open().close();
    store().existing().open().close();
  }

  /** A reader took the log for ending before a broken frame, so that keys behind it were absent. */
  @Test
  @Semantics({76, 99})
  void damage_before_frames_that_were_synced_is_refused_by_a_reader_too() throws IOException {
    try (LocalStore store = store().segmentBytes(1 << 20).open()) {
      fill(store, "order-", 500, DAY);
    }
    Path file = directory.resolve(segments().get(0));
    byte[] bytes = Files.readAllBytes(file);
    bytes[200] ^= 4;
    Files.write(file, bytes);
    assertThatThrownBy(() -> LocalReader.open(directory, time))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(" is damaged at offset ");
  }

  @Test
  @Semantics(47)
  void scopes_are_known_also_after_the_store_was_opened_anew() {
    Scope mail = Scope.of("mail");
    try (LocalStore store = store().owner("the worker").open()) {
      fill(store, "order-", 500, DAY);
      claim(store, ClaimRequest.of(mail, Key.of("a"), 1, DAY, Lapse.PARK));
      assertThat(store.scopes()).containsExactlyInAnyOrder(SCOPE, mail);
    }
    try (LocalReader reader = LocalReader.open(directory, time)) {
      assertThat(reader.scopes()).containsExactlyInAnyOrder(SCOPE, mail);
    }
    try (LocalStore store = store().open()) {
      assertThat(store.scopes()).containsExactlyInAnyOrder(SCOPE, mail);
    }
  }

  /** A store whose time comes from its records was read by the wall clock, by which all is over. */
  @Test
  void a_reader_may_go_by_the_time_of_the_last_record() {
    try (LocalStore store = store().open()) {
      claim(store, done("a", Duration.ofMinutes(10)));
      time.advance(Duration.ofMinutes(6));
      claim(store, done("b", Duration.ofMinutes(10)));
      long last = store.millis();
      time.advance(DAY);
      try (LocalReader reader = LocalReader.open(directory, time)) {
        assertThat(reader.find(SCOPE, Key.of("b"))).isEmpty();
        reader.atLastRecord();
        assertThat(reader.millis()).isEqualTo(last);
        assertThat(reader.totals()).containsEntry(ClaimState.DONE, 2L);
        claim(store, done("c", Duration.ofMinutes(10)));
        reader.refresh();
        assertThat(reader.millis()).isEqualTo(store.millis());
        assertThat(reader.totals()).containsEntry(ClaimState.DONE, 1L);
      }
    }
  }

  @Test
  void a_reader_knows_the_notes() {
    try (LocalStore store = store().open()) {
      try (LocalTransaction open = store.begin()) {
        open.note("position", new byte[] {1, 2});
        open.commit();
      }
      try (LocalReader reader = LocalReader.open(directory, time)) {
        assertThat(reader.note("position")).hasValue(new byte[] {1, 2});
        assertThat(reader.note("other")).isEmpty();
      }
    }
  }

  @Test
  void a_directory_tells_whether_a_store_is_in_it() throws IOException {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("letter"), "mine");
    store().open().close();

    assertThat(LocalStore.isIn(directory)).isTrue();
    assertThat(LocalStore.isIn(elsewhere)).isFalse();
    assertThat(LocalStore.isIn(elsewhere.resolve("letter"))).isFalse();
    assertThat(LocalStore.isIn(directory.resolve("nowhere"))).isFalse();
  }

  @Test
  @Semantics(99)
  void a_reader_of_nothing_says_so() {
    assertThatThrownBy(() -> LocalReader.open(directory.resolve("nowhere")))
        .isInstanceOf(StoreException.class)
        .hasMessage("there is no local store in " + directory.resolve("nowhere"));
  }

  /** The log is the history. */
  @Test
  @Semantics(24)
  void a_history_has_every_version() {
    try (LocalStore store = store().open()) {
      Answer.Claimed claimed = (Answer.Claimed) claim(store, request("a"));
      store.settle(
          List.of(
              new Settlement.Complete(
                  claimed.claim(), new Result.Value("text/plain", "ok".getBytes(UTF_8)), DAY)));
      fill(store, "order-", 500, DAY);
      assertThat(store.history(SCOPE, Key.of("a")).stream().map(ClaimRecord::state))
          .containsExactly(ClaimState.CLAIMED, ClaimState.DONE);
    }
  }

  // Space.

  @Test
  @Semantics({34, 105})
  void segments_are_dropped_when_what_lives_longer_was_carried_forward() throws IOException {
    try (LocalStore store = store().open()) {
      Answer.Claimed open = (Answer.Claimed) claim(store, request("open"));
      claim(store, done("long", DAY.multipliedBy(30)));
      for (int hour = 0; hour < 40; hour++) {
        fill(store, "hour-" + hour + "-", 500, Duration.ofHours(2));
        time.advance(Duration.ofHours(1));
        while (store.purge(100) > 0) {
          assertThat(segments()).isNotEmpty();
        }
      }
      assertThat(segments()).hasSizeLessThan(30);
      assertThat(claim(store, done("long", DAY))).isInstanceOf(Answer.Done.class);
      assertThat(store.find(SCOPE, Key.of("open")).map(ClaimRecord::token))
          .hasValue(open.claim().token());
    }
    try (LocalStore store = store().open()) {
      assertThat(claim(store, done("long", DAY))).isInstanceOf(Answer.Done.class);
      assertThat(store.find(SCOPE, Key.of("open"))).isPresent();
    }
  }

  // Transactions.

  @Test
  void a_transaction_is_made_together_or_not_at_all() {
    try (LocalStore store = store().open()) {
      try (LocalTransaction undone = store.begin()) {
        store.claim(undone, List.of(done("a", DAY)), Duration.ZERO);
        undone.note("position", new byte[] {1});
      }
      assertThat(store.find(SCOPE, Key.of("a"))).isEmpty();
      assertThat(store.note("position")).isEmpty();
      try (LocalTransaction made = store.begin()) {
        store.claim(made, List.of(done("a", DAY)), Duration.ZERO);
        made.note("position", new byte[] {2});
        made.commit();
      }
    }
    try (LocalStore store = store().open()) {
      assertThat(store.find(SCOPE, Key.of("a"))).isPresent();
      assertThat(store.note("position")).hasValue(new byte[] {2});
    }
  }

  /** A part of a batch could be committed, of which the caller had no answers. */
  @Test
  void a_transaction_that_has_become_too_large_can_only_be_closed() {
    try (LocalStore store = store().open()) {
      try (LocalTransaction large = store.begin()) {
        store.claim(large, List.of(done("a", DAY)), Duration.ZERO);
        assertThatThrownBy(() -> large.note("position", new byte[64 << 20]))
            .isInstanceOfSatisfying(
                StoreException.class,
                e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REJECTED))
            .hasMessageContaining("commit it in parts");
        assertThatThrownBy(large::commit)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("was undone");
      }
      assertThat(store.find(SCOPE, Key.of("a"))).isEmpty();
      assertThat(claim(store, done("b", DAY))).isInstanceOf(Answer.Claimed.class);
    }
  }

  @Test
  void a_history_that_is_read_while_the_store_is_closed_says_so() throws Exception {
    for (int round = 0; round < 20; round++) {
      LocalStore store = store().open();
      fill(store, "order-", 500, DAY);
      CountDownLatch reading = new CountDownLatch(1);
      CompletableFuture<Void> reader =
          CompletableFuture.runAsync(
              () -> {
                while (true) {
                  store.history(SCOPE, Key.of("order-1"));
                  reading.countDown();
                }
              });
      reading.await();
      store.close();
      assertThatThrownBy(reader::join)
          .cause()
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.CLOSED));
    }
  }

  /** It would have waited for itself, or thrown the transaction's frame away. */
  @Test
  void who_has_a_transaction_open_is_refused_all_else() {
    try (LocalStore store = store().open()) {
      try (LocalTransaction open = store.begin()) {
        store.claim(open, List.of(done("a", DAY)), Duration.ZERO);
        List<ThrowingCallable> others =
            List.of(
                () -> claim(store, request("b")),
                () -> store.settle(List.of()),
                () -> store.renew(List.of()),
                () -> store.purge(1),
                () -> store.history(SCOPE, Key.of("a")),
                () -> store.begin());
        assertThat(others)
            .allSatisfy(
                other ->
                    assertThatThrownBy(other)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("a transaction of the local store open"));
        assertThat(store.find(SCOPE, Key.of("a"))).isPresent();
        open.commit();
      }
      assertThat(claim(store, done("a", DAY))).isInstanceOf(Answer.Done.class);
    }
  }

  @Test
  void notes_outlive_the_segment_that_they_were_left_in() throws IOException {
    try (LocalStore store = store().open()) {
      for (int i = 0; i < 3; i++) {
        try (LocalTransaction open = store.begin()) {
          open.note("position", new byte[] {7});
          open.note("long", new byte[3_000]);
          open.commit();
        }
      }
      store.begin().close(); // begins a segment, and leaves nothing in it
      store.purge(1_000);
      assertThat(segments()).hasSize(1);
    }
    try (LocalStore store = store().open()) {
      assertThat(store.note("position")).hasValue(new byte[] {7});
    }
  }

  /** One key in a hundred lives long: it must not keep the space of the others. */
  @Test
  void space_is_freed_also_where_retentions_are_mixed() throws IOException {
    try (LocalStore store = store().open()) {
      for (int hour = 0; hour < 40; hour++) {
        fill(store, "long-" + hour + "-", 5, Duration.ofDays(30));
        fill(store, "short-" + hour + "-", 500, Duration.ofMinutes(10));
        time.advance(Duration.ofHours(1));
        store.purge(1_000);
        store.purge(1_000);
        store.purge(1_000);
      }
      assertThat(segments()).hasSizeLessThan(60);
      assertThat(store.totals().values()).containsExactly(2_000L);
    }
  }

  @Test
  void a_reader_sees_what_came_behind_segments_that_were_dropped_meanwhile() {
    try (LocalStore store = store().open();
        LocalReader early = LocalReader.open(directory, time)) {
      for (int hour = 0; hour < 5; hour++) {
        fill(store, "order-" + hour + "-", 300, Duration.ofMinutes(1));
        time.advance(Duration.ofHours(1));
        store.purge(1_000);
      }
      claim(store, done("a", DAY));

      early.refresh();

      assertThat(early.find(SCOPE, Key.of("a"))).isPresent();
    }
  }

  // The clock.

  /** A clock that is a year ahead at start forgets nothing and blocks nothing. */
  @Test
  @Semantics({29, 93})
  void a_clock_that_jumped_while_the_store_was_closed_forgets_nothing_until_it_was_steady() {
    try (LocalStore store = store().open()) {
      claim(store, done("a", DAY));
    }
    time.jump(Duration.ofDays(365));
    try (LocalStore store = store().open()) {
      assertThat(store.purge(100)).isZero();
      assertThat(claim(store, done("a", DAY))).isInstanceOf(Answer.Done.class);
      time.advance(Duration.ofMinutes(9));
      time.jump(Duration.ofDays(-365)); // it is set right
      assertThat(claim(store, done("a", DAY))).isInstanceOf(Answer.Done.class);
      time.advance(Duration.ofMinutes(11));
      assertThat(claim(store, done("a", DAY))).isInstanceOf(Answer.Done.class);
    }
  }

  @Test
  @Semantics(29)
  void a_clock_that_was_steady_for_ten_minutes_is_followed() {
    try (LocalStore store = store().open()) {
      claim(store, done("a", DAY));
    }
    time.advance(Duration.ofDays(3));
    try (LocalStore store = store().open()) {
      assertThat(claim(store, done("a", DAY))).isInstanceOf(Answer.Done.class);
      time.advance(Duration.ofMinutes(10));
      assertThat(claim(store, done("a", DAY))).isInstanceOf(Answer.Claimed.class);
    }
  }

  @Test
  @Semantics(29)
  void a_clock_that_the_user_trusts_is_followed_at_once() {
    try (LocalStore store = store().open()) {
      claim(store, done("a", DAY));
    }
    time.advance(Duration.ofDays(3));
    try (LocalStore store = store().trustClock().open()) {
      assertThat(claim(store, done("a", DAY))).isInstanceOf(Answer.Claimed.class);
    }
  }

  @Test
  @Semantics({28, 96})
  void a_clock_that_is_behind_the_last_record_goes_on_from_there() {
    Answer.Claimed first;
    try (LocalStore store = store().open()) {
      first = (Answer.Claimed) claim(store, request("a"));
    }
    time.jump(Duration.ofDays(-1));
    try (LocalStore store = store().open()) {
      assertThat(claim(store, request("a"))).isInstanceOf(Answer.InProgress.class);
      time.advance(Duration.ofSeconds(30));
      Answer.Claimed second = (Answer.Claimed) claim(store, request("a"));
      assertThat(second.claim().token()).isGreaterThan(first.claim().token());
    }
  }
}
