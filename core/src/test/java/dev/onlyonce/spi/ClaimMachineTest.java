package dev.onlyonce.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimMachine.Decision;
import dev.onlyonce.spi.Settlement.Attempts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The state machine, by its table and by its details. It is now 1,000,000 milliseconds, and a
 * record was written 1,000 before.
 */
class ClaimMachineTest {

  private static final Scope SCOPE = Scope.of("machine");
  private static final Key KEY = Key.of("k");
  private static final Fingerprint FIRST = Fingerprint.sha256(new byte[] {1});
  private static final Fingerprint OTHER = Fingerprint.sha256(new byte[] {2});
  private static final long NOW = 1_000_000;
  private static final long NOW_MICROS = NOW * 1_000 + 999;
  private static final long TOKEN = 5_000_000_000L;
  private static final long REQUEST_ID = 77;
  private static final Duration LEASE = Duration.ofMillis(300);
  private static final Duration RETENTION = Duration.ofSeconds(5);
  private static final byte[] CHECKPOINT = {1, 2, 3};

  private final ClaimMachine machine = new ClaimMachine(Duration.ZERO, "me");

  // Records.

  private static ClaimRecord record(
      ClaimState state, long leaseUntil, long notBefore, long expiresAt, Lapse lapse) {
    return new ClaimRecord(
        SCOPE,
        KEY,
        state,
        TOKEN,
        REQUEST_ID,
        3,
        leaseUntil,
        notBefore,
        expiresAt,
        lapse,
        FIRST,
        Result.NONE,
        CHECKPOINT,
        "somebody",
        NOW - 9_000,
        NOW - 1_000);
  }

  private static @Nullable ClaimRecord record(String name) {
    return switch (name) {
      case "absent" -> null;
      case "claimed" -> record(ClaimState.CLAIMED, NOW + 1, 0, 0, Lapse.TAKE);
      case "parked" -> record(ClaimState.CLAIMED, NOW + 1, 0, 0, Lapse.PARK);
      case "lapsed" -> record(ClaimState.CLAIMED, NOW, 0, 0, Lapse.TAKE);
      case "doubtful" -> record(ClaimState.CLAIMED, NOW, 0, 0, Lapse.PARK);
      case "done" -> record(ClaimState.DONE, 0, 0, NOW + 1, Lapse.TAKE);
      case "failed" -> record(ClaimState.FAILED, 0, 0, NOW + 1, Lapse.TAKE);
      case "due" -> record(ClaimState.RELEASED, 0, NOW, NOW + 1, Lapse.PARK);
      case "later" -> record(ClaimState.RELEASED, 0, NOW + 1, NOW + 1, Lapse.PARK);
      case "done-over" -> record(ClaimState.DONE, 0, 0, NOW, Lapse.TAKE);
      case "failed-over" -> record(ClaimState.FAILED, 0, 0, NOW, Lapse.TAKE);
      case "later-over" -> record(ClaimState.RELEASED, 0, NOW, NOW, Lapse.PARK);
      case "unknown" -> record(ClaimState.UNKNOWN, 0, 0, 0, Lapse.TAKE);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static ClaimRecord existing(String name) {
    return Objects.requireNonNull(record(name));
  }

  // Requests.

  private static ClaimRequest request(
      long requestId,
      @Nullable Fingerprint fingerprint,
      @Nullable Result settleNow,
      long expected) {
    return new ClaimRequest(
        SCOPE, KEY, requestId, fingerprint, LEASE, RETENTION, Lapse.PARK, settleNow, expected);
  }

  private static ClaimRequest request(String name) {
    long newcomer = 1;
    return switch (name) {
      case "plain" -> request(newcomer, null, null, 0);
      case "same" -> request(newcomer, FIRST, null, 0);
      case "other" -> request(newcomer, OTHER, null, 0);
      case "again" -> request(REQUEST_ID, null, null, 0);
      case "again-other" -> request(REQUEST_ID, OTHER, null, 0);
      case "expect" -> request(newcomer, OTHER, null, TOKEN);
      case "expect-other" -> request(newcomer, null, null, TOKEN - 1);
      case "now" -> request(newcomer, null, Result.NOT_KEPT, 0);
      case "now-again" -> request(REQUEST_ID, null, Result.NOT_KEPT, 0);
      case "expect-now" -> request(newcomer, null, Result.NOT_KEPT, TOKEN);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Record by request: the answer and, after an arrow, the state that is written. */
  private static final String CLAIMS =
      """
      record        plain         same          other         again         again-other
      absent        Claimed>C     Claimed>C     Claimed>C     Claimed>C     Claimed>C
      claimed       InProgress    InProgress    Mismatch      Claimed       Claimed
      parked        InProgress    InProgress    Mismatch      Claimed       Claimed
      lapsed        Claimed>C     Claimed>C     Mismatch      Claimed       Claimed
      doubtful      InDoubt       InDoubt       Mismatch      Claimed       Claimed
      done          Done          Done          Mismatch      Done          Mismatch
      failed        Failed        Failed        Mismatch      Failed        Mismatch
      due           Claimed>C     Claimed>C     Mismatch      Claimed>C     Mismatch
      later         Deferred      Deferred      Mismatch      Deferred      Mismatch
      done-over     Claimed>C     Claimed>C     Claimed>C     Claimed>C     Claimed>C
      failed-over   Claimed>C     Claimed>C     Claimed>C     Claimed>C     Claimed>C
      later-over    Claimed>C     Claimed>C     Claimed>C     Claimed>C     Claimed>C
      unknown       InProgress    InProgress    InProgress    InProgress    InProgress
      record        expect        expect-other  now           now-again     expect-now
      absent        Claimed>C     Claimed>C     Claimed>D     Claimed>D     Claimed>D
      claimed       Claimed>C     InProgress    InProgress    InProgress    Claimed>D
      parked        Claimed>C     InProgress    InProgress    InProgress    Claimed>D
      lapsed        Claimed>C     InProgress    Claimed>D     Claimed>D     Claimed>D
      doubtful      Claimed>C     InDoubt       InDoubt       InDoubt       Claimed>D
      done          Claimed>C     Done          Done          Claimed       Claimed>D
      failed        Claimed>C     Failed        Failed        Failed        Claimed>D
      due           Claimed>C     Deferred      Claimed>D     Claimed>D     Claimed>D
      later         Claimed>C     Deferred      Deferred      Deferred      Claimed>D
      done-over     Claimed>C     Claimed>C     Claimed>D     Claimed>D     Claimed>D
      failed-over   Claimed>C     Claimed>C     Claimed>D     Claimed>D     Claimed>D
      later-over    Claimed>C     Claimed>C     Claimed>D     Claimed>D     Claimed>D
      unknown       Claimed>C     InProgress    InProgress    InProgress    Claimed>D
      """;

  static Stream<Arguments> claims() {
    return cells(CLAIMS);
  }

  /** Row name, column name and cell; a row that begins with "record" names the columns. */
  private static Stream<Arguments> cells(String table) {
    List<Arguments> cells = new ArrayList<>();
    String[] columns = {};
    for (String line : table.lines().toList()) {
      String[] row = line.split(" +");
      columns = row[0].equals("record") ? row : columns;
      for (int i = 1; i < row.length && row != columns; i++) {
        cells.add(Arguments.of(row[0], columns[i], row[i]));
      }
    }
    return cells.stream();
  }

  @ParameterizedTest(name = "{0}, asked {1}: {2}")
  @MethodSource("claims")
  void a_claim_is_decided_by_this_table(String found, String asked, String expected) {
    Decision<Answer> decision = machine.claim(record(found), request(asked), NOW_MICROS, 0);
    ClaimRecord write = decision.write();
    String written =
        write == null ? "" : write.state() == ClaimState.CLAIMED ? ">C" : ">" + write.state();
    assertThat(decision.answer().getClass().getSimpleName() + written.replace("DONE", "D"))
        .isEqualTo(expected);
    if (write != null) {
      assertWellMade(record(found), request(asked), (Answer.Claimed) decision.answer(), write);
    }
  }

  private static void assertWellMade(
      @Nullable ClaimRecord found, ClaimRequest request, Answer.Claimed answer, ClaimRecord write) {
    boolean fresh = found == null || found.isExpired(NOW);
    long floor = found == null ? 0 : found.token();
    assertThat(write.token()).isGreaterThan(floor).isEqualTo(answer.claim().token());
    boolean decides = request.settleNow() != null && request.expectToken() == floor;
    assertThat(write.attempt())
        .isEqualTo(fresh ? 1 : decides ? 3 : 4)
        .isEqualTo(answer.claim().attempt());
    assertThat(write.requestId()).isEqualTo(request.requestId());
    assertThat(write.lapse()).isEqualTo(Lapse.PARK);
    assertThat(write.owner()).isEqualTo("me");
    assertThat(write.createdAtMillis()).isEqualTo(fresh ? NOW : NOW - 9_000);
    assertThat(write.updatedAtMillis()).isEqualTo(NOW);
    assertThat(write.fingerprint())
        .isEqualTo(request.fingerprint() != null || fresh ? request.fingerprint() : FIRST);
    assertThat(answer.lease()).isEqualTo(LEASE);
    assertThat(answer.checkpoint()).isEqualTo(fresh ? null : CHECKPOINT);
    assertThat(answer.claim().scope()).isEqualTo(SCOPE);
    assertThat(answer.claim().key()).isEqualTo(KEY);
    if (write.state() == ClaimState.CLAIMED) {
      assertThat(write.leaseUntilMillis()).isEqualTo(NOW + 300);
      assertThat(write.expiresAtMillis()).isZero();
      assertThat(write.notBeforeMillis()).isZero();
      assertThat(write.result()).isEqualTo(Result.NONE);
      assertThat(write.checkpoint()).isEqualTo(fresh ? null : CHECKPOINT);
    } else {
      assertThat(write.leaseUntilMillis()).isZero();
      assertThat(write.expiresAtMillis()).isEqualTo(NOW + 5_000);
      assertThat(write.result()).isEqualTo(Result.NOT_KEPT);
      assertThat(write.checkpoint()).isNull();
    }
  }

  // Settlements.

  private static Settlement settlement(String name, Claim claim) {
    return switch (name) {
      case "complete" -> new Settlement.Complete(claim, Result.NOT_KEPT, RETENTION);
      case "fail" -> new Settlement.Fail(claim, "no such account", RETENTION);
      case "release" ->
          new Settlement.Release(claim, Duration.ofMillis(40), Attempts.KEEP, RETENTION);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Record by settlement: the answer and, after an arrow, the state that is written. */
  private static final String SETTLEMENTS =
      """
      record       complete    fail        release
      absent       LOST        LOST        LOST
      claimed      HELD>DONE   HELD>FAILED HELD>RELEASED
      parked       HELD>DONE   HELD>FAILED HELD>RELEASED
      lapsed       HELD>DONE   HELD>FAILED HELD>RELEASED
      doubtful     HELD>DONE   HELD>FAILED HELD>RELEASED
      done         ALREADY     LOST        LOST
      failed       LOST        ALREADY     LOST
      due          LOST        LOST        ALREADY
      later        LOST        LOST        ALREADY
      done-over    ALREADY     LOST        LOST
      failed-over  LOST        ALREADY     LOST
      later-over   LOST        LOST        ALREADY
      unknown      LOST        LOST        LOST
      """;

  static Stream<Arguments> settlements() {
    return cells(SETTLEMENTS);
  }

  @ParameterizedTest(name = "{0}, {1}: {2}")
  @MethodSource("settlements")
  void a_settlement_is_decided_by_this_table(String found, String name, String expected) {
    Settlement settlement = settlement(name, new Claim(SCOPE, KEY, TOKEN, 3));
    Decision<Held> decision = machine.settle(record(found), settlement, NOW_MICROS);
    ClaimRecord write = decision.write();
    assertThat(decision.answer() + (write == null ? "" : ">" + write.state())).isEqualTo(expected);
    for (long token : new long[] {TOKEN - 1, TOKEN + 1}) {
      Settlement others = settlement(name, new Claim(SCOPE, KEY, token, 3));
      Decision<Held> lost = machine.settle(record(found), others, NOW_MICROS);
      assertThat(lost).isEqualTo(new Decision<>(Held.LOST, null));
    }
  }

  private ClaimRecord settled(Settlement settlement) {
    Decision<Held> decision = machine.settle(existing("claimed"), settlement, NOW_MICROS);
    assertThat(decision.answer()).isEqualTo(Held.HELD);
    return Objects.requireNonNull(decision.write());
  }

  private static Claim claim() {
    return new Claim(SCOPE, KEY, TOKEN, 3);
  }

  @ParameterizedTest
  @MethodSource("settlementNames")
  void a_settled_record_keeps_what_tells_it_from_others(String name) {
    ClaimRecord write = settled(settlement(name, claim()));
    assertThat(write.scope()).isEqualTo(SCOPE);
    assertThat(write.key()).isEqualTo(KEY);
    assertThat(write.token()).isEqualTo(TOKEN);
    assertThat(write.requestId()).isEqualTo(REQUEST_ID);
    assertThat(write.attempt()).isEqualTo(3);
    assertThat(write.leaseUntilMillis()).isZero();
    assertThat(write.lapse()).isEqualTo(Lapse.TAKE);
    assertThat(write.fingerprint()).isEqualTo(FIRST);
    assertThat(write.owner()).isEqualTo("somebody");
    assertThat(write.createdAtMillis()).isEqualTo(NOW - 9_000);
    assertThat(write.updatedAtMillis()).isEqualTo(NOW);
    assertThat(write.expiresAtMillis()).isEqualTo(NOW + 5_000);
  }

  static List<String> settlementNames() {
    return List.of("complete", "fail", "release");
  }

  @Test
  void a_completion_keeps_its_result_and_drops_the_checkpoint() {
    ClaimRecord write = settled(settlement("complete", claim()));
    assertThat(write.result()).isEqualTo(Result.NOT_KEPT);
    assertThat(write.checkpoint()).isNull();
    assertThat(write.notBeforeMillis()).isZero();
  }

  @Test
  void a_failure_keeps_its_reason_as_text() {
    ClaimRecord write = settled(settlement("fail", claim()));
    assertThat(((Result.Value) write.result()).type()).isEqualTo("text/plain");
    Answer answer = machine.claim(write, request("plain"), NOW_MICROS, 0).answer();
    assertThat(answer).isEqualTo(new Answer.Failed("no such account", Duration.ZERO));
  }

  @Test
  void a_failure_whose_reason_was_not_kept_says_so() {
    Answer answer = machine.claim(existing("failed"), request("plain"), NOW_MICROS, 0).answer();
    assertThat(answer).isEqualTo(new Answer.Failed("no reason was kept", Duration.ofSeconds(1)));
  }

  @Test
  void a_release_keeps_the_checkpoint_and_says_when_the_key_is_due() {
    ClaimRecord write = settled(settlement("release", claim()));
    assertThat(write.result()).isEqualTo(Result.NONE);
    assertThat(write.checkpoint()).isEqualTo(CHECKPOINT);
    assertThat(write.notBeforeMillis()).isEqualTo(NOW + 40);
  }

  @Test
  void a_release_is_kept_until_the_key_is_due() {
    Settlement late =
        new Settlement.Release(claim(), Duration.ofSeconds(9), Attempts.KEEP, RETENTION);
    assertThat(settled(late).notBeforeMillis()).isEqualTo(NOW + 9_000);
    assertThat(settled(late).expiresAtMillis()).isEqualTo(NOW + 9_000);
  }

  @ParameterizedTest
  @EnumSource
  void a_release_counts_the_attempt_as_it_is_told(Attempts attempts) {
    int expected =
        switch (attempts) {
          case KEEP -> 3;
          case REFUND -> 2;
          case RESET -> 0;
        };
    Settlement release = new Settlement.Release(claim(), Duration.ZERO, attempts, RETENTION);
    assertThat(settled(release).attempt()).isEqualTo(expected);
  }

  // Renewals.

  @ParameterizedTest
  @MethodSource("recordNames")
  void only_a_claim_that_is_held_is_renewed(String found) {
    boolean held = List.of("claimed", "parked", "lapsed", "doubtful").contains(found);
    Renewal renewal = new Renewal(claim(), LEASE, null);
    Decision<Held> decision = machine.renew(record(found), renewal, NOW_MICROS);
    assertThat(decision.answer()).isEqualTo(held ? Held.HELD : Held.LOST);
    assertThat(decision.write() != null).isEqualTo(held);
    Renewal others = new Renewal(new Claim(SCOPE, KEY, TOKEN + 1, 3), LEASE, null);
    assertThat(machine.renew(record(found), others, NOW_MICROS))
        .isEqualTo(new Decision<>(Held.LOST, null));
  }

  static Stream<String> recordNames() {
    return SETTLEMENTS.lines().skip(1).map(it -> it.split(" ", 2)[0]);
  }

  @Test
  void a_renewal_changes_the_lease_and_nothing_else() {
    Renewal renewal = new Renewal(claim(), LEASE, null);
    ClaimRecord before = existing("parked");
    ClaimRecord expected = record(ClaimState.CLAIMED, NOW + 300, 0, 0, Lapse.PARK);
    assertThat(machine.renew(before, renewal, NOW_MICROS).write())
        .usingRecursiveComparison()
        .ignoringFields("updatedAtMillis")
        .isEqualTo(expected);
    assertThat(existing(machine.renew(before, renewal, NOW_MICROS)).updatedAtMillis())
        .isEqualTo(NOW);
  }

  private static ClaimRecord existing(Decision<?> decision) {
    return Objects.requireNonNull(decision.write());
  }

  @Test
  void a_renewal_replaces_the_checkpoint_if_it_has_one() {
    byte[] checkpoint = {9};
    Renewal with = new Renewal(claim(), LEASE, checkpoint);
    assertThat(existing(machine.renew(existing("claimed"), with, NOW_MICROS)).checkpoint())
        .isEqualTo(checkpoint);
    Renewal without = new Renewal(claim(), LEASE, null);
    assertThat(existing(machine.renew(existing("claimed"), without, NOW_MICROS)).checkpoint())
        .isEqualTo(CHECKPOINT);
  }

  @Test
  void a_renewal_with_lease_zero_lapses_at_once() {
    Renewal zero = new Renewal(claim(), Duration.ZERO, null);
    ClaimRecord lapsed = existing(machine.renew(existing("claimed"), zero, NOW_MICROS));
    assertThat(lapsed.leaseUntilMillis()).isEqualTo(NOW);
    assertThat(machine.claim(lapsed, request("plain"), NOW_MICROS, 0).answer())
        .isInstanceOf(Answer.Claimed.class);
  }

  // Answers.

  @Test
  void answers_say_how_long_it_is_still_and_how_long_ago_it_was() {
    ClaimRecord held = record(ClaimState.CLAIMED, NOW + 250, 0, 0, Lapse.TAKE);
    assertThat(answer(held, "plain")).isEqualTo(new Answer.InProgress(Duration.ofMillis(250)));
    ClaimRecord later = record(ClaimState.RELEASED, 0, NOW + 250, NOW + 500, Lapse.TAKE);
    assertThat(answer(later, "plain")).isEqualTo(new Answer.Deferred(Duration.ofMillis(250)));
    assertThat(answer(existing("done"), "plain"))
        .isEqualTo(new Answer.Done(Result.NONE, Duration.ofSeconds(1), false));
    assertThat(answer(existing("done"), "same"))
        .isEqualTo(new Answer.Done(Result.NONE, Duration.ofSeconds(1), true));
    assertThat(answer(existing("doubtful"), "plain")).isEqualTo(new Answer.InDoubt(TOKEN, 3));
    assertThat(answer(existing("done"), "other")).isEqualTo(new Answer.Mismatch(FIRST));
    assertThat(answer(existing("unknown"), "plain"))
        .isEqualTo(new Answer.InProgress(Duration.ZERO));
    assertThat(answer(existing("lapsed"), "expect-other"))
        .isEqualTo(new Answer.InProgress(Duration.ZERO));
    assertThat(answer(existing("due"), "expect-other"))
        .isEqualTo(new Answer.Deferred(Duration.ZERO));
  }

  private Answer answer(ClaimRecord found, String asked) {
    return machine.claim(found, request(asked), NOW_MICROS, 0).answer();
  }

  @Test
  void a_record_of_the_future_is_answered_with_age_zero() {
    long earlier = NOW_MICROS - 5_000_000;
    Answer answer = machine.claim(existing("done"), request("plain"), earlier, 0).answer();
    assertThat(answer).isEqualTo(new Answer.Done(Result.NONE, Duration.ZERO, false));
  }

  @Test
  void a_repeated_request_is_answered_with_what_is_left_of_its_lease() {
    Answer.Claimed held = (Answer.Claimed) answer(existing("claimed"), "again");
    assertThat(held.claim()).isEqualTo(claim());
    assertThat(held.lease()).isEqualTo(Duration.ofMillis(1));
    assertThat(held.checkpoint()).isEqualTo(CHECKPOINT);
    Answer.Claimed lapsed = (Answer.Claimed) answer(existing("lapsed"), "again");
    assertThat(lapsed.lease()).isEqualTo(Duration.ZERO);
    Answer.Claimed done = (Answer.Claimed) answer(existing("done"), "now-again");
    assertThat(done.claim()).isEqualTo(claim());
    assertThat(done.lease()).isEqualTo(Duration.ZERO);
  }

  @Test
  void a_record_without_a_fingerprint_matches_any() {
    ClaimRecord claimed = existing(machine.claim(null, request("plain"), NOW_MICROS, 0));
    assertThat(claimed.fingerprint()).isNull();
    assertThat(machine.claim(claimed, request("again-other"), NOW_MICROS, 0).answer())
        .isInstanceOf(Answer.InProgress.class);
  }

  @Test
  void payloads_were_compared_only_if_both_have_a_fingerprint() {
    Settlement complete = new Settlement.Complete(claim(), Result.NONE, RETENTION);
    ClaimRecord with = existing(machine.settle(existing("claimed"), complete, NOW_MICROS));
    ClaimRecord held = existing(machine.claim(null, request("plain"), NOW_MICROS, 0));
    Claim claim = new Claim(SCOPE, KEY, held.token(), 1);
    Settlement other = new Settlement.Complete(claim, Result.NONE, RETENTION);
    ClaimRecord without = existing(machine.settle(held, other, NOW_MICROS));
    assertThat(((Answer.Done) answer(with, "same")).compared()).isTrue();
    assertThat(((Answer.Done) answer(with, "plain")).compared()).isFalse();
    assertThat(((Answer.Done) answer(without, "same")).compared()).isFalse();
    assertThat(((Answer.Done) answer(without, "plain")).compared()).isFalse();
  }

  // Tokens.

  @Test
  void a_token_is_larger_than_the_records_and_the_floor_and_not_behind_the_time() {
    assertThat(ClaimMachine.nextToken(0, 0, 1_000)).isEqualTo(1_000);
    assertThat(ClaimMachine.nextToken(999, 0, 1_000)).isEqualTo(1_000);
    assertThat(ClaimMachine.nextToken(1_000, 0, 1_000)).isEqualTo(1_001);
    assertThat(ClaimMachine.nextToken(0, 1_000, 1_000)).isEqualTo(1_001);
    assertThat(ClaimMachine.nextToken(5_000, 7_000, 1_000)).isEqualTo(7_001);
    assertThat(ClaimMachine.nextToken(7_000, 5_000, 1_000)).isEqualTo(7_001);
    assertThat(ClaimMachine.nextToken(0, 0, -5)).isEqualTo(1);
  }

  @Test
  void every_way_to_a_claim_goes_by_the_token_rule() {
    for (String found : List.of("absent", "lapsed", "due", "done-over")) {
      ClaimRecord record = record(found);
      long before = record == null ? 0 : TOKEN;
      assertThat(token(record, 0, 0)).as(found).isEqualTo(before + 1);
      assertThat(token(record, TOKEN + 100, 0)).as(found).isEqualTo(TOKEN + 101);
      assertThat(token(record, 0, TOKEN * 2)).as(found).isEqualTo(TOKEN * 2);
    }
  }

  /** The token that is given at the time of the table plus {@code later} microseconds. */
  private long token(@Nullable ClaimRecord found, long floor, long later) {
    long micros = later == 0 ? 0 : later;
    ClaimRecord lapsedLongAgo =
        found == null
            ? null
            : new ClaimRecord(
                SCOPE,
                KEY,
                found.state(),
                TOKEN,
                REQUEST_ID,
                3,
                -1,
                -1,
                found.expiresAtMillis() == NOW ? -1 : Long.MAX_VALUE,
                Lapse.TAKE,
                null,
                Result.NONE,
                null,
                "",
                -1,
                -1);
    return existing(machine.claim(lapsedLongAgo, request("plain"), micros, floor)).token();
  }

  // Time.

  @Test
  void the_tolerance_is_added_to_the_lease_and_to_nothing_else() {
    ClaimMachine tolerant = new ClaimMachine(Duration.ofMillis(10), "me");
    ClaimRecord held = record(ClaimState.CLAIMED, NOW - 9, 0, 0, Lapse.TAKE);
    assertThat(tolerant.claim(held, request("plain"), NOW_MICROS, 0).answer())
        .isEqualTo(new Answer.InProgress(Duration.ofMillis(1)));
    ClaimRecord lapsed = record(ClaimState.CLAIMED, NOW - 10, 0, 0, Lapse.TAKE);
    assertThat(tolerant.claim(lapsed, request("plain"), NOW_MICROS, 0).answer())
        .isInstanceOf(Answer.Claimed.class);
    assertThat(tolerant.claim(existing("done-over"), request("plain"), NOW_MICROS, 0).answer())
        .isInstanceOf(Answer.Claimed.class);
    assertThat(tolerant.claim(existing("due"), request("plain"), NOW_MICROS, 0).answer())
        .isInstanceOf(Answer.Claimed.class);
    assertThatThrownBy(() -> new ClaimMachine(Duration.ofMillis(-1), "me"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tolerance must not be negative, was PT-0.001S");
  }

  @Test
  void durations_are_rounded_up_to_milliseconds() {
    for (long nanos : new long[] {1, 999_999, 1_000_000}) {
      ClaimRequest request = ClaimRequest.of(SCOPE, KEY, 1, Duration.ofNanos(nanos), Lapse.TAKE);
      assertThat(existing(machine.claim(null, request, NOW_MICROS, 0)).leaseUntilMillis())
          .isEqualTo(NOW + 1);
    }
    ClaimRequest request = ClaimRequest.of(SCOPE, KEY, 1, Duration.ofNanos(1_000_001), Lapse.TAKE);
    assertThat(existing(machine.claim(null, request, NOW_MICROS, 0)).leaseUntilMillis())
        .isEqualTo(NOW + 2);
  }

  @Test
  void endless_durations_end_at_the_end_of_time() {
    long[] seconds = {Long.MAX_VALUE, Long.MAX_VALUE / 1_000, Long.MAX_VALUE / 1_000 - 1};
    for (long each : seconds) {
      ClaimRequest request =
          ClaimRequest.of(SCOPE, KEY, 1, Duration.ofSeconds(each, 999_999_999), Lapse.TAKE);
      assertThat(existing(machine.claim(null, request, NOW_MICROS, 0)).leaseUntilMillis())
          .isEqualTo(Long.MAX_VALUE);
    }
    Duration century = Duration.ofDays(36_500);
    ClaimRequest request = ClaimRequest.of(SCOPE, KEY, 1, century, Lapse.TAKE);
    assertThat(existing(machine.claim(null, request, NOW_MICROS, 0)).leaseUntilMillis())
        .isEqualTo(NOW + century.toMillis());
  }

  @Test
  void attempts_stop_counting_at_the_largest_number() {
    ClaimRecord many =
        new ClaimRecord(
            SCOPE,
            KEY,
            ClaimState.CLAIMED,
            TOKEN,
            REQUEST_ID,
            Integer.MAX_VALUE,
            NOW,
            0,
            0,
            Lapse.TAKE,
            null,
            Result.NONE,
            null,
            "",
            0,
            0);
    Answer.Claimed claimed = (Answer.Claimed) answer(many, "plain");
    assertThat(claimed.claim().attempt()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void only_what_is_settled_and_long_over_may_be_forgotten() {
    Duration grace = Duration.ofMillis(10);
    for (String name : List.of("done-over", "failed-over", "later-over")) {
      assertThat(ClaimMachine.mayForget(existing(name), NOW + 9, grace)).as(name).isFalse();
      assertThat(ClaimMachine.mayForget(existing(name), NOW + 10, grace)).as(name).isTrue();
    }
    for (String name : List.of("claimed", "lapsed", "doubtful", "unknown")) {
      assertThat(ClaimMachine.mayForget(existing(name), Long.MAX_VALUE, grace)).as(name).isFalse();
    }
    ClaimRecord forEver = record(ClaimState.DONE, 0, 0, Long.MAX_VALUE, Lapse.TAKE);
    assertThat(ClaimMachine.mayForget(forEver, NOW, grace)).isFalse();
  }
}
