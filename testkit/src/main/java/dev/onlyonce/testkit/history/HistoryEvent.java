package dev.onlyonce.testkit.history;

import java.time.DateTimeException;
import java.time.Instant;

/**
 * One thing that happened to one key, as one line of a {@link HistoryFile}.
 *
 * <p>{@link #parse} gives back what {@link #text} was made of, whatever the key, process and detail
 * contain.
 *
 * <p>Immutable.
 *
 * <h2>Text form</h2>
 *
 * <pre>{@code
 * text    = kind *( " " name "=" value )        in the order of the record's components
 * kind    = "claimed" / "effect" / ...          the enum constant, lower case, "_" as "-"
 * name    = "key" / "token" / "attempt" / "process" / "since" / "at" / "detail"
 * value   = printable ASCII; a decimal number for token, attempt, since and at (microseconds)
 * }</pre>
 *
 * A component that has its default ({@code ""}, 0, the epoch) is left out. In a value, every UTF-16
 * unit that is not printable ASCII, and space, {@code \}, {@code =}, {@code <} and {@code >}, is
 * written as <code>&#92;u</code> and four hex digits; so a text is one line of ASCII and holds
 * neither of the marks with which {@link HistoryFile} frames it.
 *
 * @param key the idempotency key in its text form; {@code ""} where there is none
 * @param token the fencing token; 0 where there is none
 * @param attempt the number of the attempt, from 1; 0 where it is not known
 * @param process who did it, or who was killed; a name that no other process of the history has,
 *     also none that was started later. {@link HistoryFile#append} fills in its own where it is
 *     empty
 * @param sinceBytes {@link HistoryFile#lengthBytes} before the recorded operation was begun; 0
 *     where that is not known. See {@link HistoryChecker} for what it decides
 * @param at wall time, in microseconds; for the human reader only. {@link HistoryFile#append} fills
 *     it in
 * @param detail anything else that helps to read a report
 */
public record HistoryEvent(
    Kind kind,
    String key,
    long token,
    int attempt,
    String process,
    long sinceBytes,
    Instant at,
    String detail) {

  /** What happened. Each constant says when it is to be recorded, for the checker relies on it. */
  public enum Kind {
    /** A claim was granted. Recorded after the answer, with {@code since} from before the call. */
    CLAIMED(true),
    /**
     * The effect took place. The line is best the effect itself; else it is recorded by the
     * resource before it answers. The token may be 0 where the resource is told none.
     */
    EFFECT(false),
    /** Complete was accepted (held). Recorded after the answer, with {@code since}. */
    COMPLETED(true),
    /** Fail was accepted: the key will not be run again. Recorded like {@link #COMPLETED}. */
    FAILED(true),
    /** Release was accepted. Recorded like {@link #COMPLETED}. */
    RELEASED(true),
    /** Renewal was accepted. Recorded like {@link #COMPLETED}. */
    RENEWED(true),
    /** The message is about to be acknowledged. Recorded <em>before</em> the broker is told. */
    ACKNOWLEDGED(false),
    /**
     * The outcome of the attempt with this token, and of those before it, was declared unknown.
     * Recorded before anything is done about it. A decision to run again without knowing leaves it.
     */
    IN_DOUBT(true),
    /** The doubt up to this token is over: the effect has taken place. Recorded at once. */
    RESOLVED_DONE(true),
    /** The doubt up to this token is over: no effect has, and none can still arrive. As before. */
    RESOLVED_NOT_DONE(true),
    /** A process was killed. Recorded by its parent, after it was reaped. Has no key. */
    KILLED(false);

    private final boolean needsToken;

    Kind(boolean needsToken) {
      this.needsToken = needsToken;
    }

    boolean needsToken() {
      return needsToken;
    }
  }

  /** Refuses what the kind does not allow, naming the rule and the value. */
  public HistoryEvent {
    if (kind == Kind.KILLED ? process.isEmpty() : key.isEmpty()) {
      throw new IllegalArgumentException(
          kind + " must have a " + (kind == Kind.KILLED ? "process" : "key") + ", had none");
    }
    if (token < 0 || (token == 0 && kind.needsToken())) {
      throw new IllegalArgumentException(kind + " must have a positive token, had " + token);
    }
    if (attempt < 0) {
      throw new IllegalArgumentException("attempt must not be negative, was " + attempt);
    }
    if (sinceBytes < 0) {
      throw new IllegalArgumentException("sinceBytes must not be negative, was " + sinceBytes);
    }
    at = EventText.instant(EventText.micros(at));
  }

  /** An event with a key and a token. */
  public static HistoryEvent of(Kind kind, String key, long token) {
    return new HistoryEvent(kind, key, token, 0, "", 0, Instant.EPOCH, "");
  }

  /** The event of a message that is about to be acknowledged. */
  public static HistoryEvent acknowledged(String key) {
    return of(Kind.ACKNOWLEDGED, key, 0);
  }

  /** The event of a process that was killed. */
  public static HistoryEvent killed(String process) {
    return new HistoryEvent(Kind.KILLED, "", 0, 0, process, 0, Instant.EPOCH, "");
  }

  /** The same with the number of the attempt. */
  public HistoryEvent withAttempt(int number) {
    return new HistoryEvent(kind, key, token, number, process, sinceBytes, at, detail);
  }

  /** The same with the length that the history had before the operation was begun. */
  public HistoryEvent since(long lengthBytes) {
    return new HistoryEvent(kind, key, token, attempt, process, lengthBytes, at, detail);
  }

  /** The same with a detail for the reader. */
  public HistoryEvent withDetail(String text) {
    return new HistoryEvent(kind, key, token, attempt, process, sinceBytes, at, text);
  }

  HistoryEvent recorded(String by, Instant when) {
    String who = process.isEmpty() ? by : process;
    return new HistoryEvent(kind, key, token, attempt, who, sinceBytes, when, detail);
  }

  /** The text form, without a line end. */
  public String text() {
    return EventText.write(this);
  }

  /**
   * The event of a text form.
   *
   * <p>Throws {@link IllegalArgumentException}, with the text, for anything that {@link #text}
   * cannot have written.
   */
  public static HistoryEvent parse(String text) {
    try {
      return EventText.read(text);
    } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
      throw new IllegalArgumentException("not an event: " + text + " (" + e.getMessage() + ")", e);
    }
  }
}
