package dev.onlyonce.app.claims;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onlyonce.Result;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.output.SafeText;
import dev.onlyonce.spi.ClaimRecord;
import dev.onlyonce.spi.ClaimState;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Shows records to people. */
public final class RecordText {

  /** Stands for what the store does not know any more. */
  private static final String UNKNOWN = "-";

  private final long now;
  private final boolean withBytes;

  /**
   * @param now milliseconds since the epoch
   * @param withBytes whether to show what results and checkpoints hold
   */
  public RecordText(long now, boolean withBytes) {
    this.now = now;
    this.withBytes = withBytes;
  }

  /** Returns all of a record, in lines. */
  public List<String> block(ClaimRecord record) {
    List<String> lines = new ArrayList<>();
    add(lines, "key", keyOf(record));
    add(lines, "scope", record.scope().name());
    add(lines, "state", Standing.of(record, now).words());
    add(lines, "meaning", Standing.meaning(record, now));
    add(lines, "token", Long.toString(record.token()));
    add(lines, "attempt", Integer.toString(record.attempt()));
    add(lines, "owner", ownerOf(record));
    add(
        lines,
        "created",
        record.createdAtMillis() == ClaimRecord.UNKNOWN_TIME
            ? UNKNOWN
            : Moments.both(record.createdAtMillis(), now));
    addTimes(lines, record);
    addEnding(lines, record);
    if (record.fingerprint() != null) {
      add(lines, "fingerprint", record.fingerprint().toString());
    }
    if (record.checkpoint() != null) {
      addBytes(lines, "checkpoint", "", record.checkpoint());
    }
    return lines;
  }

  private void addTimes(List<String> lines, ClaimRecord record) {
    boolean claim = Standing.isClaim(record);
    add(lines, claim ? "changed" : "settled", Moments.both(record.updatedAtMillis(), now));
    if (claim) {
      add(lines, "lease until", Moments.both(record.leaseUntilMillis(), now));
    }
    if (record.state() == ClaimState.RELEASED && record.notBeforeMillis() > now) {
      add(lines, "not before", Moments.both(record.notBeforeMillis(), now));
    }
    if (record.state().isSettled()) {
      add(lines, "kept until", Moments.both(record.expiresAtMillis(), now));
    }
  }

  private void addEnding(List<String> lines, ClaimRecord record) {
    if (record.state() == ClaimState.FAILED) {
      add(lines, "reason", reason(record));
    } else if (record.state() == ClaimState.DONE) {
      if (record.result() instanceof Result.Value value) {
        addBytes(lines, "result", SafeText.of(value.type()) + ", ", value.bytes());
      } else {
        add(lines, "result", record.result() instanceof Result.None ? "none" : "not kept");
      }
    }
  }

  private void addBytes(List<String> lines, String name, String type, byte[] bytes) {
    add(lines, name, type + Quantity.of(bytes.length, "byte"));
    if (withBytes) {
      String text = RecordJson.text(bytes);
      add(lines, "", text == null ? "hex " + HexFormat.of().formatHex(bytes) : SafeText.of(text));
    }
  }

  private static String keyOf(ClaimRecord record) {
    return record.key() == null ? UNKNOWN : record.key().toString();
  }

  private static String ownerOf(ClaimRecord record) {
    return record.owner().isEmpty() ? UNKNOWN : SafeText.of(record.owner());
  }

  private static void add(List<String> lines, String name, String value) {
    lines.add(String.format("%-12s%s", name, value));
  }

  private static String reason(ClaimRecord record) {
    return record.result() instanceof Result.Value value
        ? SafeText.of(new String(value.bytes(), UTF_8))
        : "none was kept";
  }

  /** Returns the head of a list. */
  public static String listHead() {
    return row("STATE", "CHANGED", "AGE", "ATTEMPT", "SCOPE", "KEY");
  }

  /** Returns the most important of a record, in one line. */
  public String listLine(ClaimRecord record) {
    return row(
        Standing.of(record, now).words(),
        Moments.iso(record.updatedAtMillis()),
        Moments.length(Math.max(0, now - record.updatedAtMillis())),
        Integer.toString(record.attempt()),
        record.scope().name(),
        keyOf(record));
  }

  private static String row(
      String state, String changed, String age, String attempt, String scope, String key) {
    return String.format("%-9s %-24s %11s %7s  %s  %s", state, changed, age, attempt, scope, key);
  }

  /** Returns the head of a history. */
  public static String historyHead() {
    return String.format(
        "%-24s  %-9s %19s %7s  %s", "CHANGED", "STATE", "TOKEN", "ATTEMPT", "OWNER");
  }

  /** Returns a version of a record, in one line; it says what it was when it was written. */
  public static String historyLine(ClaimRecord version) {
    String more = version.state() == ClaimState.FAILED ? ": " + reason(version) : "";
    return String.format(
        "%-24s  %-9s %19d %7d  %s%s",
        Moments.iso(version.updatedAtMillis()),
        Standing.of(version, version.updatedAtMillis() - 1).words(),
        version.token(),
        version.attempt(),
        ownerOf(version),
        more);
  }
}
