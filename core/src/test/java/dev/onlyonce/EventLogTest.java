package dev.onlyonce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.messaging.DeadLetters;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Event;
import dev.onlyonce.spi.KeyExtractor;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.SourceException;
import dev.onlyonce.spi.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What engines over a memory store leave in the log. */
class EventLogTest {

  private static final Scope SCOPE = Scope.of("billing");
  private static final Key KEY = Key.of("order-4711/paid");
  private static final String DIGEST = "key_digest=" + digestOf(KEY);
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final SteppedTime time = new SteppedTime();
  private final MemoryStore store = MemoryStore.builder().time(time).forgetful().build();
  private final Lines lines = new Lines();

  /** A log that keeps its lines. */
  private static final class Lines implements System.Logger {
    private final List<String> all = new ArrayList<>();
    private Level least = Level.INFO;

    @Override
    public String getName() {
      return "lines";
    }

    @Override
    public boolean isLoggable(Level level) {
      return level.getSeverity() >= least.getSeverity();
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
      throw new AssertionError("a line comes without an exception");
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... params) {
      all.add(level + " " + format);
    }

    List<String> take() {
      List<String> taken = List.copyOf(all);
      all.clear();
      return taken;
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static String digestOf(Key key) {
    return Fingerprint.sha256(key.toBytes()).toString().substring(0, 16);
  }

  private EventLog.Builder log() {
    return EventLog.builder().logger(lines).time(time);
  }

  private OnlyOnceBuilder<String> engine(EventLog log) {
    return OnlyOnce.builder(store)
        .scope(SCOPE)
        .time(time)
        .lease(LEASE)
        .purgeEvery(Duration.ZERO)
        .onInDoubt(OnInDoubt.PARK)
        .onFailure(OnFailure.defaults().backoff(Backoff.fixed(MINUTE)).failOn(Declined.class))
        .results(ResultCodec.TEXT)
        .listener(log);
  }

  private static final class Declined extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Declined(String message) {
      super(message);
    }
  }

  private static String declined(String message) {
    throw new Declined(message);
  }

  private Claim claimedByAnother(Lapse lapse) {
    ClaimRequest request = ClaimRequest.of(SCOPE, KEY, 17, LEASE, lapse);
    return ((Answer.Claimed) store.claim(List.of(request)).get(0)).claim();
  }

  private static List<Event> oneOfEach() {
    Claim claim = new Claim(SCOPE, KEY, 17, 2);
    Duration some = Duration.ofSeconds(3);
    String secret = "of order-4711/paid";
    StoreException failure = new StoreException(StoreException.Kind.UNAVAILABLE, secret);
    return List.of(
        new Event.Received(SCOPE, KEY),
        new Event.Claimed(claim),
        new Event.Completed(claim, some, some, LEASE),
        new Event.Duplicate(SCOPE, KEY, some),
        new Event.InProgress(SCOPE, KEY, some),
        new Event.Deferred(SCOPE, KEY, some),
        new Event.FailedBefore(SCOPE, KEY, secret),
        new Event.Mismatch(SCOPE, KEY),
        new Event.NotCompared(SCOPE, KEY),
        new Event.InDoubt(SCOPE, KEY, 17, 2),
        new Event.Resolved(SCOPE, KEY, 17, Event.Resolved.Verdict.UNKNOWN),
        new Event.Released(claim, new Declined(secret), some),
        new Event.Failed(claim, secret),
        new Event.Refused(claim),
        new Event.LeaseLost(claim),
        new Event.RenewalFailed(claim, failure),
        new Event.ResultNotKept(claim, secret),
        new Event.Unkeyed(
            SCOPE, new KeyExtractor.Unkeyed(KeyExtractor.Reason.MISSING, secret), false),
        new Event.Unprotected(SCOPE, KEY, failure),
        new Event.StoreFailed(SCOPE, KEY, failure),
        new Event.DeadLettered(SCOPE, KEY, DeadLetters.Reason.FAILED, 7, 17),
        new Event.DeadLetterFailed(SCOPE, KEY, secret, 2),
        new Event.SourceFailed(
            SCOPE, new SourceException(SourceException.Kind.PASSING, secret, null)));
  }

  @Test
  void every_kind_of_event_has_its_line_and_none_shows_a_key_or_what_a_failure_says() {
    lines.least = System.Logger.Level.TRACE;
    EventLog log = log().build();
    assertThat(oneOfEach().stream().<Class<?>>map(Event::getClass))
        .as("one of each kind that there is")
        .containsExactlyInAnyOrder(Event.class.getPermittedSubclasses());
    oneOfEach().forEach(log::on);
    List<String> all = lines.take();
    assertThat(all)
        .hasSameSizeAs(oneOfEach())
        .allMatch(line -> line.contains(" scope=billing "))
        .noneMatch(line -> line.contains("4711"));
    Set<String> names = all.stream().map(it -> it.split(" ", 3)[1]).collect(Collectors.toSet());
    assertThat(names).as("names of kinds").hasSameSizeAs(all);
  }

  @Test
  void the_guide_has_every_kind_at_its_level() throws IOException {
    String guide = Files.readString(Path.of("../docs/guides/metrics.md"));
    lines.least = System.Logger.Level.TRACE;
    EventLog log = log().build();
    oneOfEach().forEach(log::on);
    for (String line : lines.take()) {
      String[] words = line.split(" ", 3);
      String name = words[1].substring("event=".length());
      assertThat(guide).containsPattern("(?m)^\\| " + words[0] + " \\|.* `" + name + "`(,| \\|$)");
    }
  }

  @Test
  void what_is_shown_on_demand_is_quoted_and_cannot_end_the_line() {
    OnlyOnce<String> once = engine(log().showData().build()).build();
    Key key = Key.of("order 4711=\"paid\"");
    once.attempt(key, null, attempt -> declined("card\nevent=completed \\ \u2028"));
    long token = store.find(SCOPE, key).orElseThrow().token();
    assertThat(lines.take())
        .containsExactly(
            "WARNING event=failed scope=billing key=\"order 4711=\\\"paid\\\"\" token="
                + token
                + " attempt=1 reason=\""
                + Declined.class.getName()
                + ": card\\u000aevent=completed \\\\ \\u2028\"");
  }

  @Test
  void what_is_shown_is_cut_where_it_is_too_long() {
    EventLog log = log().showData().build();
    log.on(new Event.Failed(new Claim(SCOPE, KEY, 1, 1), "x".repeat(5_000)));
    assertThat(lines.take().get(0)).endsWith("reason=" + "x".repeat(1_000) + "...");
  }

  @Test
  void a_key_in_doubt_is_a_warning_with_the_token_and_attempt_of_its_holder() {
    OnlyOnce<String> once = engine(log().build()).build();
    Claim vanished = claimedByAnother(Lapse.PARK);
    time.step(LEASE);
    once.attempt(KEY, null, attempt -> "never");
    assertThat(lines.take())
        .containsExactly(
            "WARNING event=in_doubt scope=billing "
                + DIGEST
                + " token="
                + vanished.token()
                + " attempt=1");
  }

  @Test
  void a_zombie_that_is_refused_is_a_warning() {
    OnlyOnce<String> once = engine(log().build()).onInDoubt(OnInDoubt.RERUN).build();
    Outcome<String> outcome =
        once.attempt(
            KEY,
            null,
            attempt -> {
              time.step(LEASE.plusSeconds(1));
              claimedByAnother(Lapse.TAKE);
              return "late";
            });
    Claim mine = ((Outcome.Lost<String>) outcome).claim();
    assertThat(lines.take())
        .contains(
            "WARNING event=zombie_refused scope=billing "
                + DIGEST
                + " token="
                + mine.token()
                + " attempt=1");
  }

  @Test
  void a_handler_that_throws_is_said_with_the_class_of_what_it_threw_and_when_it_runs_again() {
    OnlyOnce<String> once = engine(log().build()).build();
    once.attempt(
        KEY,
        null,
        attempt -> {
          throw new IllegalStateException("of " + attempt.key());
        });
    assertThat(lines.take())
        .singleElement()
        .asString()
        .startsWith("INFO event=released scope=billing " + DIGEST)
        .endsWith(" attempt=1 retry_after=PT1M cause=java.lang.IllegalStateException");
  }

  @Test
  void a_store_that_fails_is_said_by_its_kind() {
    OnlyOnce<String> once = engine(log().build()).build();
    store.close();
    assertThatThrownBy(() -> once.process(KEY, attempt -> "never"))
        .isInstanceOf(StoreException.class);
    assertThat(lines.take())
        .containsExactly(
            "WARNING event=store_failed scope=billing "
                + DIGEST
                + " kind=CLOSED cause=dev.onlyonce.spi.StoreException");
  }

  @Test
  void of_a_store_that_fails_the_cause_below_is_named() {
    StoreException failure =
        new StoreException(StoreException.Kind.FULL, "no room", new OutOfMemoryError("4711"));
    log().build().on(new Event.Unprotected(SCOPE, KEY, failure));
    log().showData().build().on(new Event.Unprotected(SCOPE, KEY, failure));
    assertThat(lines.take())
        .containsExactly(
            "WARNING event=unprotected scope=billing "
                + DIGEST
                + " kind=FULL cause=java.lang.OutOfMemoryError",
            "WARNING event=unprotected scope=billing key=order-4711/paid kind=FULL"
                + " cause=\"no room\"");
  }

  @Test
  void duplicates_are_for_whoever_debugs() {
    OnlyOnce<String> once = engine(log().build()).build();
    once.process(KEY, attempt -> "receipt");
    once.process(KEY, attempt -> "never");
    assertThat(lines.take()).isEmpty();
    lines.least = System.Logger.Level.DEBUG;
    time.step(Duration.ofSeconds(3));
    once.process(KEY, attempt -> "never");
    assertThat(lines.take())
        .containsExactly("DEBUG event=duplicate scope=billing " + DIGEST + " age=PT3S");
  }

  @Test
  void of_a_flood_some_lines_are_written_and_the_rest_is_counted() {
    EventLog log = log().build();
    for (int i = 0; i < 1_000; i++) {
      log.on(new Event.Mismatch(SCOPE, KEY));
    }
    assertThat(lines.take()).hasSize(10);
    time.step(MINUTE.minusNanos(1));
    log.on(new Event.Mismatch(SCOPE, KEY));
    assertThat(lines.take()).isEmpty();
    time.step(Duration.ofNanos(1));
    log.on(new Event.Received(SCOPE, KEY));
    assertThat(lines.take())
        .containsExactly("WARNING event=left_out scope=billing of=mismatch count=991");
    log.on(new Event.Mismatch(SCOPE, KEY));
    time.step(MINUTE);
    log.on(new Event.Received(SCOPE, KEY));
    assertThat(lines.take()).as("nothing was left out").hasSize(1);
  }

  @Test
  void each_kind_and_scope_has_lines_of_its_own() {
    EventLog log = log().atMost(1, Duration.ofHours(1)).build();
    Scope other = Scope.of("mail");
    for (int i = 0; i < 3; i++) {
      log.on(new Event.Mismatch(SCOPE, KEY));
      log.on(new Event.Mismatch(other, KEY));
      log.on(new Event.InDoubt(SCOPE, KEY, 1, 1));
    }
    assertThat(lines.take()).hasSize(3);
    log.close();
    assertThat(lines.take())
        .containsExactlyInAnyOrder(
            "WARNING event=left_out scope=billing of=mismatch count=2",
            "WARNING event=left_out scope=mail of=mismatch count=2",
            "WARNING event=left_out scope=billing of=in_doubt count=2");
    log.close();
    assertThat(lines.take()).as("what was left out is said once").isEmpty();
  }

  @Test
  void what_is_below_the_level_of_the_log_is_not_left_out_but_not_wanted() {
    EventLog log = log().atMost(1, MINUTE).build();
    for (int i = 0; i < 3; i++) {
      log.on(new Event.Duplicate(SCOPE, KEY, MINUTE));
    }
    log.close();
    assertThat(lines.take()).isEmpty();
  }

  @Test
  void scopes_without_end_do_not_take_memory_without_end() {
    EventLog log = log().atMost(1, MINUTE).build();
    for (int i = 0; i < 20_000; i++) {
      log.on(new Event.Mismatch(Scope.of("scope-" + i), KEY));
    }
    assertThat(lines.take()).hasSize(10_001);
    log.close();
    assertThat(lines.take())
        .containsExactly("WARNING event=left_out scope=(other) of=mismatch count=9999");
  }

  private void handled(EventLog log, int count, Duration handling) {
    Claim claim = new Claim(SCOPE, KEY, 17, 1);
    for (int i = 0; i < count; i++) {
      log.on(new Event.Completed(claim, handling, handling, LEASE));
    }
  }

  @Test
  void a_warning_comes_when_more_than_one_handler_in_a_hundred_takes_longer_than_half_its_lease() {
    EventLog log = log().build();
    handled(log, 99, Duration.ofSeconds(15));
    handled(log, 1, Duration.ofSeconds(16));
    log.close();
    assertThat(lines.take()).as("one in a hundred, and others of just half a lease").isEmpty();
    handled(log, 98, Duration.ofSeconds(1));
    handled(log, 1, Duration.ofSeconds(17));
    handled(log, 1, Duration.ofSeconds(16));
    time.step(MINUTE);
    log.on(new Event.Received(SCOPE, KEY));
    assertThat(lines.take())
        .containsExactly(
            "WARNING event=slow_handlers scope=billing lease=PT30S over_half_of_it=2 of=100"
                + " slowest=PT17S");
  }

  @Test
  void handlers_are_judged_when_they_are_a_hundred_and_anew_from_there() {
    EventLog log = log().build();
    handled(log, 99, Duration.ofSeconds(20));
    log.close();
    assertThat(lines.take()).isEmpty();
    handled(log, 1, Duration.ofSeconds(1));
    log.close();
    assertThat(lines.take())
        .singleElement()
        .asString()
        .contains("over_half_of_it=99 of=100 slowest=PT20S");
    handled(log, 100, Duration.ofSeconds(1));
    log.close();
    assertThat(lines.take()).isEmpty();
  }

  @Test
  void without_a_lease_no_handler_is_too_slow() {
    EventLog log = log().build();
    OnlyOnce<String> once = engine(log).mode(DeliveryMode.AT_LEAST_ONCE).build();
    for (int i = 0; i < 200; i++) {
      once.attempt(
          KEY,
          null,
          attempt -> {
            time.step(LEASE);
            return "slow";
          });
    }
    log.close();
    assertThat(lines.take()).isEmpty();
  }

  @Test
  void by_default_the_lines_go_to_the_log_of_this_class() {
    List<String> records = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            records.add(record.getLevel() + " " + record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.onlyonce.EventLog");
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try (EventLog log = EventLog.create()) {
      log.on(new Event.Mismatch(SCOPE, KEY));
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertThat(records).containsExactly("WARNING event=mismatch scope=billing " + DIGEST);
  }

  @Test
  void a_limit_that_is_none_is_refused() {
    assertThatThrownBy(() -> log().atMost(0, MINUTE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lines must be at least 1, was 0");
    assertThatThrownBy(() -> log().atMost(1, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("interval must be positive, was PT0S");
  }
}
