package dev.onlyonce.testkit;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;

import dev.onlyonce.Key;
import dev.onlyonce.Scope;
import dev.onlyonce.spi.Answer;
import dev.onlyonce.spi.ClaimRequest;
import dev.onlyonce.spi.Held;
import dev.onlyonce.spi.Lapse;
import dev.onlyonce.spi.Renewal;
import dev.onlyonce.spi.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What was asked of a store and what it answered, and whether that can have been.
 *
 * <p>Every entry knows that its step happened between two moments: by this machine's monotonic
 * clock, which puts entries of different threads in an order where they do not overlap, and by the
 * clock by which time passes for the store, which leases and retentions go by. A violation is
 * reported only if it is one wherever in between each step happened.
 *
 * <p>An answer that got lost is null: the step may have happened. The renewals of one claim must
 * have been made one after the other.
 *
 * <p>Not safe for use by several threads: each thread has a history, and they are {@link #addAll
 * put together} at the end.
 */
final class ClaimHistory {

  /** Stores count in milliseconds, and cut off what is below. */
  private static final long SLACK_NANOS = Duration.ofMillis(2).toNanos();

  /** Between which moments a step happened: real ones, and ones of the store's clock. */
  record Span(long begun, long ended, long clockBegun, long clockEnded) {

    boolean isBefore(Span other) {
      return ended - other.begun < 0;
    }

    boolean isBegunBeforeEndOf(Span other) {
      return begun - other.ended < 0;
    }
  }

  /** One item of a call. */
  sealed interface Entry permits Asked, Settled, Renewed {
    Span span();

    Scope scope();

    Key key();

    @Nullable Object answer();
  }

  record Asked(Span span, ClaimRequest request, @Nullable Answer answer) implements Entry {
    @Override
    public Scope scope() {
      return request.scope();
    }

    @Override
    public Key key() {
      return request.key();
    }
  }

  record Settled(Span span, Settlement settlement, @Nullable Held answer) implements Entry {
    @Override
    public Scope scope() {
      return settlement.claim().scope();
    }

    @Override
    public Key key() {
      return settlement.claim().key();
    }

    long token() {
      return settlement.claim().token();
    }
  }

  record Renewed(Span span, Renewal renewal, @Nullable Held answer) implements Entry {
    @Override
    public Scope scope() {
      return renewal.claim().scope();
    }

    @Override
    public Key key() {
      return renewal.claim().key();
    }

    long token() {
      return renewal.claim().token();
    }
  }

  private final List<Entry> entries = new ArrayList<>();

  void add(Entry entry) {
    entries.add(entry);
  }

  void addAll(Collection<ClaimHistory> others) {
    others.forEach(it -> entries.addAll(it.entries));
  }

  /** Counts the kinds of answers, for people. */
  Map<String, Long> summary() {
    return entries.stream().collect(groupingBy(ClaimHistory::kind, TreeMap::new, counting()));
  }

  private static String kind(Entry entry) {
    Object answer = entry.answer();
    if (answer == null) {
      return "lost";
    }
    return answer instanceof Held ? answer.toString() : answer.getClass().getSimpleName();
  }

  /** Returns a sentence for each thing that cannot have been; none if all is well. */
  List<String> violations() {
    record Name(Scope scope, Key key) {}
    Map<Name, List<Entry>> byName = new LinkedHashMap<>();
    for (Entry entry : entries) {
      byName
          .computeIfAbsent(new Name(entry.scope(), entry.key()), it -> new ArrayList<>())
          .add(entry);
    }
    return byName.values().stream().flatMap(it -> new OneKey(it).violations()).toList();
  }

  /** A claim that was granted. */
  private record Grant(Span span, ClaimRequest request, long token, Duration lease) {}

  /** The history of one key. */
  private static final class OneKey {

    private final List<Asked> asked;
    private final List<Settled> settled;
    private final List<Renewed> renewed;
    private final Map<Long, List<Asked>> opening;
    private final Map<Long, List<Settled>> settling;
    private final Map<Long, List<Renewed>> renewing;
    private final List<Grant> grants = new ArrayList<>();

    OneKey(List<Entry> entries) {
      this.asked = only(Asked.class, entries);
      this.settled = only(Settled.class, entries);
      this.renewed = only(Renewed.class, entries);
      this.opening = asked.stream().collect(groupingBy(it -> it.request().expectToken()));
      this.settling = settled.stream().collect(groupingBy(Settled::token));
      this.renewing = renewed.stream().collect(groupingBy(Renewed::token));
      for (Asked each : asked) {
        if (each.answer() instanceof Answer.Claimed claimed) {
          long token = claimed.claim().token();
          grants.add(new Grant(each.span(), each.request(), token, claimed.lease()));
        }
      }
    }

    private static <T extends Entry> List<T> only(Class<T> type, List<Entry> entries) {
      return entries.stream()
          .filter(type::isInstance)
          .map(type::cast)
          .sorted(Comparator.comparing(it -> it.span().begun()))
          .toList();
    }

    Stream<String> violations() {
      return Stream.of(
              grantedTwice(),
              tokensThatDoNotGrow(),
              lateVerbsThatCount(),
              settledTwice(),
              grantedAgainWithinTheRetention(),
              grantedWhileHeld(),
              grantedWhileParked(),
              answersOfNobodysMaking(Answer.Done.class, Settlement.Complete.class),
              answersOfNobodysMaking(Answer.Failed.class, Settlement.Fail.class))
          .flatMap(Function.identity());
    }

    private Stream<String> grantedTwice() {
      return pairs(
          (one, two) ->
              one.token() == two.token() && one.request().requestId() != two.request().requestId(),
          "the same token was given to two requests");
    }

    private Stream<String> tokensThatDoNotGrow() {
      return pairs(
          (one, two) -> one.span().isBefore(two.span()) && one.token() > two.token(),
          "a later claim has a smaller token");
    }

    private Stream<String> lateVerbsThatCount() {
      Stream<Entry> accepted =
          Stream.<Entry>concat(settled.stream(), renewed.stream())
              .filter(it -> it.answer() == Held.HELD || it.answer() == Held.ALREADY);
      return accepted.flatMap(
          verb ->
              grants.stream()
                  .filter(it -> it.token() > token(verb) && it.span().isBefore(verb.span()))
                  .map(it -> sentence("an overtaken holder was not told so", it, verb)));
    }

    private static long token(Entry verb) {
      return verb instanceof Settled it ? it.token() : ((Renewed) verb).token();
    }

    private Stream<String> settledTwice() {
      return settling.values().stream()
          .map(each -> each.stream().filter(it -> it.answer() == Held.HELD).toList())
          .filter(it -> it.size() > 1)
          .map(it -> sentence("one claim was settled twice", it.get(0), it.get(1)));
    }

    /** A key that was completed or failed must stay so, one that was released until it is due. */
    private Stream<String> grantedAgainWithinTheRetention() {
      Stream<String> bySettlement =
          settled.stream()
              .filter(it -> it.answer() == Held.HELD)
              .flatMap(it -> grantedTooEarly(it, it.span(), it.token(), blocked(it.settlement())));
      Stream<String> atOnce =
          grants.stream()
              .filter(it -> it.request().settleNow() != null)
              .flatMap(
                  it -> grantedTooEarly(it, sinceFirst(it), it.token(), it.request().retention()));
      return Stream.concat(bySettlement, atOnce);
    }

    /** The answer may be to a request that was made again, and the step that of an earlier one. */
    private Span sinceFirst(Grant grant) {
      Span first =
          asked.stream()
              .filter(it -> it.request().requestId() == grant.request().requestId())
              .map(Asked::span)
              .findFirst()
              .orElse(grant.span());
      return new Span(
          first.begun(), grant.span().ended(), first.clockBegun(), grant.span().clockEnded());
    }

    private static Duration blocked(Settlement settlement) {
      return settlement instanceof Settlement.Release release
          ? release.after()
          : settlement.retention();
    }

    private Stream<String> grantedTooEarly(Object end, Span span, long token, Duration blocked) {
      return grants.stream()
          .filter(it -> it.token() > token && span.isBefore(it.span()))
          .filter(it -> isSurelyBefore(it.span(), span.clockBegun(), blocked))
          .filter(it -> !mayHaveBeenOpened(token, it.span()))
          .map(it -> sentence("a settled key was granted again", end, it));
    }

    private Stream<String> grantedWhileHeld() {
      return pairs(
          (one, two) ->
              one.request().settleNow() == null
                  && one.token() < two.token()
                  && one.span().isBefore(two.span())
                  && !mayHaveBeenSettled(one.token(), two.span())
                  && !mayHaveBeenOpened(one.token(), two.span())
                  && two.span().clockEnded() - heldUntil(one, two.span()) < 0,
          "a key was granted while another held it");
    }

    private Stream<String> grantedWhileParked() {
      return pairs(
          (one, two) ->
              one.request().settleNow() == null
                  && one.request().lapse() == Lapse.PARK
                  && one.token() < two.token()
                  && one.span().isBefore(two.span())
                  && !mayHaveBeenSettled(one.token(), two.span())
                  && !mayHaveBeenOpened(one.token(), two.span()),
          "a key that was parked was granted to a newcomer");
    }

    /** Returns until when a claim's lease lasts at the least, for whoever claims in this span. */
    private long heldUntil(Grant grant, Span claiming) {
      long until = end(grant.span().clockBegun(), grant.lease());
      for (Renewed each : renewing.getOrDefault(grant.token(), List.of())) {
        if (each.answer() == Held.LOST) {
          continue;
        }
        long renewedUntil = end(each.span().clockBegun(), each.renewal().lease());
        if (each.answer() == Held.HELD && each.span().isBefore(claiming)) {
          until = renewedUntil;
        } else if (each.span().isBegunBeforeEndOf(claiming)) {
          until = renewedUntil - until < 0 ? renewedUntil : until;
        }
      }
      return until;
    }

    private static long end(long clockBegun, Duration lasting) {
      return clockBegun + lasting.toNanos() - SLACK_NANOS;
    }

    private static boolean isSurelyBefore(Span span, long clockBegun, Duration lasting) {
      return span.clockEnded() - end(clockBegun, lasting) < 0;
    }

    private boolean mayHaveBeenSettled(long token, Span before) {
      return settling.getOrDefault(token, List.of()).stream()
          .anyMatch(it -> it.answer() != Held.LOST && it.span().isBegunBeforeEndOf(before));
    }

    private boolean mayHaveBeenOpened(long token, Span before) {
      return opening.getOrDefault(token, List.of()).stream()
          .anyMatch(it -> it.span().isBegunBeforeEndOf(before));
    }

    /** A duplicate is told of an end that somebody has brought about, and not after its time. */
    private Stream<String> answersOfNobodysMaking(
        Class<? extends Answer> type, Class<? extends Settlement> end) {
      List<Settled> ends =
          settled.stream()
              .filter(it -> end.isInstance(it.settlement()) && it.answer() != Held.LOST)
              .toList();
      List<Asked> atOnce =
          asked.stream()
              .filter(it -> it.request().settleNow() != null && mayHaveBeenGranted(it))
              .toList();
      return asked.stream()
          .filter(it -> type.isInstance(it.answer()))
          .filter(
              it ->
                  ends.stream()
                      .noneMatch(by -> explains(by.span(), by.settlement().retention(), it.span())))
          .filter(
              it ->
                  atOnce.stream()
                      .noneMatch(by -> explains(by.span(), by.request().retention(), it.span())))
          .map(it -> sentence("nobody has done that, or its retention is over", it, before(it)));
    }

    /** Returns what was asked of the key before an answer, in lines. */
    private String before(Asked last) {
      return Stream.<Entry>concat(asked.stream(), settled.stream())
          .filter(it -> it.span().isBegunBeforeEndOf(last.span()))
          .sorted(Comparator.comparing(it -> it.span().begun()))
          .map(Object::toString)
          .collect(joining("\n    ", "of all this:\n    ", ""));
    }

    /**
     * A call that lasts longer than the retention, as one of several statements may, may be
     * answered with what came after its own grant.
     */
    private static boolean mayHaveBeenGranted(Asked by) {
      long lasted = by.span().clockEnded() - by.span().clockBegun();
      return by.answer() == null
          || by.answer() instanceof Answer.Claimed
          || lasted + SLACK_NANOS >= by.request().retention().toNanos();
    }

    private static boolean explains(Span end, Duration retention, Span duplicate) {
      return end.isBegunBeforeEndOf(duplicate)
          && duplicate.clockBegun() - end.clockEnded() - retention.toNanos() - SLACK_NANOS < 0;
    }

    private interface Rule {
      boolean isBrokenBy(Grant one, Grant two);
    }

    private Stream<String> pairs(Rule rule, String fault) {
      return grants.stream()
          .flatMap(
              one ->
                  grants.stream()
                      .filter(two -> rule.isBrokenBy(one, two))
                      .map(two -> sentence(fault, one, two)));
    }

    private static String sentence(String fault, Object one, Object two) {
      return fault + ":\n  " + one + "\n  " + two;
    }
  }
}
