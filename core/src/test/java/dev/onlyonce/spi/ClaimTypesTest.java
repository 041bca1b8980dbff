package dev.onlyonce.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onlyonce.Claim;
import dev.onlyonce.Fingerprint;
import dev.onlyonce.Key;
import dev.onlyonce.Result;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.ClaimReader.Query;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The types that stores and engine speak in: rules, codes and defaults. */
class ClaimTypesTest {

  private static final Scope SCOPE = Scope.of("types");
  private static final Key KEY = Key.of("k");
  private static final Claim CLAIM = new Claim(SCOPE, KEY, 1, 1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void a_request_has_a_positive_lease_and_retention() {
    ClaimRequest request = ClaimRequest.of(SCOPE, KEY, 7, SECOND, Lapse.TAKE);
    assertRefused(
        () -> ClaimRequest.of(SCOPE, KEY, 7, Duration.ZERO, Lapse.TAKE),
        "lease must be positive, was PT0S");
    assertRefused(
        () -> request.settlingNow(Result.NONE, SECOND.negated()),
        "retention must be positive, was PT-1S");
  }

  @Test
  void a_request_is_plain_unless_it_is_changed() {
    ClaimRequest request = ClaimRequest.of(SCOPE, KEY, 7, SECOND, Lapse.PARK);
    assertThat(request)
        .isEqualTo(
            new ClaimRequest(SCOPE, KEY, 7, null, SECOND, Limits.RETENTION, Lapse.PARK, null, 0));
    Fingerprint fingerprint = Fingerprint.sha256(new byte[] {1});
    assertThat(request.withFingerprint(fingerprint).expecting(5).settlingNow(Result.NONE, SECOND))
        .isEqualTo(
            new ClaimRequest(
                SCOPE, KEY, 7, fingerprint, SECOND, SECOND, Lapse.PARK, Result.NONE, 5));
    assertThat(request.withFingerprint(fingerprint).withFingerprint(null)).isEqualTo(request);
  }

  @Test
  void settlements_have_a_positive_retention_and_a_failure_a_reason() {
    String retention = "retention must be positive, was PT0S";
    Duration zero = Duration.ZERO;
    assertRefused(() -> new Settlement.Complete(CLAIM, Result.NONE, zero), retention);
    assertRefused(() -> new Settlement.Fail(CLAIM, "reason", zero), retention);
    assertRefused(() -> new Settlement.Fail(CLAIM, "", SECOND), "reason must not be empty");
    assertRefused(
        () -> new Settlement.Release(CLAIM, zero, Settlement.Attempts.KEEP, zero), retention);
    assertRefused(
        () -> new Settlement.Release(CLAIM, SECOND.negated(), Settlement.Attempts.KEEP, SECOND),
        "after must not be negative, was PT-1S");
  }

  @Test
  void a_renewal_has_a_lease_from_zero_on_and_a_checkpoint_of_64_kib_at_most() {
    assertThat(new Renewal(CLAIM, Duration.ZERO, null).lease()).isZero();
    byte[] largest = new byte[64 * 1_024];
    assertThat(new Renewal(CLAIM, SECOND, largest).checkpoint()).isSameAs(largest);
    assertRefused(
        () -> new Renewal(CLAIM, SECOND.negated(), null), "lease must not be negative, was PT-1S");
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    try {
      Locale.setDefault(Locale.Category.FORMAT, Locale.GERMANY);
      assertRefused(
          () -> new Renewal(CLAIM, SECOND, new byte[64 * 1_024 + 1]),
          "checkpoint must be at most 65,536 bytes, was 65,537");
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
    }
  }

  @Test
  void codes_of_states_are_what_every_stored_format_has() {
    assertThat(ClaimState.CLAIMED.code()).isEqualTo(1);
    assertThat(ClaimState.DONE.code()).isEqualTo(2);
    assertThat(ClaimState.FAILED.code()).isEqualTo(3);
    assertThat(ClaimState.RELEASED.code()).isEqualTo(4);
    for (int unknown : new int[] {-1, 0, 5, 99, Integer.MAX_VALUE}) {
      assertThat(ClaimState.ofCode(unknown)).isEqualTo(ClaimState.UNKNOWN);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_state_is_found_by_its_code(ClaimState state) {
    assertThat(ClaimState.ofCode(state.code())).isEqualTo(state);
    assertThat(state.isSettled())
        .isEqualTo(state != ClaimState.UNKNOWN && state != ClaimState.CLAIMED);
  }

  @Test
  void a_lapse_policy_that_is_not_known_reads_as_parking() {
    assertThat(Lapse.ofCode(Lapse.TAKE.code())).isEqualTo(Lapse.TAKE);
    assertThat(Lapse.ofCode(Lapse.PARK.code())).isEqualTo(Lapse.PARK);
    assertThat(Lapse.ofCode(0)).isEqualTo(Lapse.PARK);
    assertThat(Lapse.ofCode(9)).isEqualTo(Lapse.PARK);
    assertThat(Lapse.TAKE.code()).isEqualTo(1);
    assertThat(Lapse.PARK.code()).isEqualTo(2);
  }

  @Test
  void a_query_has_a_limit_and_keeps_its_states() {
    Set<ClaimState> states = new HashSet<>(Set.of(ClaimState.DONE));
    Query query = new Query(SCOPE, states, false, 1);
    states.clear();
    assertThat(query.states()).containsExactly(ClaimState.DONE);
    assertThat(Query.all(5)).isEqualTo(new Query(null, Set.of(ClaimState.values()), false, 5));
    assertRefused(() -> Query.all(0), "limit must be at least 1, was 0");
  }

  @Test
  void the_defaults_are_those_of_every_door() {
    assertThat(Limits.LEASE).isEqualTo(Duration.ofSeconds(30));
    assertThat(Limits.RETENTION).isEqualTo(Duration.ofDays(7));
    assertThat(Limits.PURGE_GRACE).isEqualTo(Duration.ofMinutes(10));
    assertThat(Limits.ATTEMPTS).isEqualTo(7);
    assertThat(Limits.RESULT_BYTES).isEqualTo(64 * 1_024);
    assertThat(Limits.BATCH).isEqualTo(500);
  }

  @Test
  void durations_are_milliseconds_rounded_up_and_never_overflow() {
    assertThat(Limits.millis(Duration.ZERO)).isZero();
    assertThat(Limits.millis(Duration.ofNanos(1))).isEqualTo(1);
    assertThat(Limits.millis(Duration.ofMillis(1))).isEqualTo(1);
    assertThat(Limits.millis(Duration.ofNanos(1_000_001))).isEqualTo(2);
    assertThat(Limits.millis(Duration.ofDays(7))).isEqualTo(604_800_000);
    assertThat(Limits.millis(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
    assertThat(Limits.millis(Duration.ofSeconds(Long.MAX_VALUE / 1_000))).isEqualTo(Long.MAX_VALUE);
    long almost = Long.MAX_VALUE / 1_000 - 1;
    assertThat(Limits.millis(Duration.ofSeconds(almost))).isEqualTo(almost * 1_000);
  }

  @Test
  void a_store_exception_says_what_can_be_done() {
    Exception cause = new IllegalStateException("the client's");
    StoreException e = new StoreException(StoreException.Kind.FULL, "there is no room", cause);
    assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL);
    assertThat(e).hasMessage("there is no room").hasCause(cause);
    assertThat(new StoreException(StoreException.Kind.CLOSED, "closed")).hasNoCause();
  }

  @Test
  void the_clocks_of_this_machine_go_on() {
    Time time = Time.system();
    long nanos = time.nanoTime();
    assertThat(time.millis()).isPositive();
    assertThat(time.instant().toEpochMilli()).isPositive();
    assertThat(time.nanoTime() - nanos).isNotNegative();
  }
}
