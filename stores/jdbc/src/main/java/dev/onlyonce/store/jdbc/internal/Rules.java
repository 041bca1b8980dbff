package dev.onlyonce.store.jdbc.internal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The rules of {@link dev.onlyonce.spi.ClaimMachine} for a claim, as SQL: when a row may be
 * claimed, and what becomes of each column then.
 *
 * @param row what the columns of the row are called, in front of their names
 * @param item what those of the item are called, with a star for the name
 * @param now milliseconds since 1970 in the statement
 */
record Rules(String row, String item, String now) {

  private static final List<String> TAKEN_AS_THEY_ARE =
      List.of(
          "lapse",
          "request",
          "expected",
          "until_ms",
          "updated_ms",
          "result_kind",
          "result_type",
          "result",
          "owner",
          "state",
          "expires_ms");

  /**
   * The row was opened by its token; or it is of a known state and has expired; or the item expects
   * no token, is of the same payload, is not this very claim asked for again, and the row is due.
   */
  String mayBeClaimed(long toleranceMillis) {
    return """
        ({r}token = {i}expected or ({r}state between 1 and 4 and ({r}expires_ms <= {now}
          or ({i}expected is null
            and ({r}fingerprint is null or {i}fingerprint is null
              or {r}fingerprint = {i}fingerprint)
            and not ({r}state = 1 and {i}state = 1 and {r}request = {i}request)
            and {r}until_ms <= case when {r}state = 4 then {now}
              when {r}state = 1 and {r}lapse = 1 then {now} - {tolerance} else -1 end))))
        """
        .strip()
        .replaceAll("\\{i}(\\w+)", item.replace("*", "$1"))
        .replace("{r}", row)
        .replace("{now}", now)
        .replace("{tolerance}", Long.toString(toleranceMillis));
  }

  /** The row reads as absent. */
  String isExpired() {
    return "(%sstate between 2 and 4 and %sexpires_ms <= %s)".formatted(row, row, now);
  }

  /** The row is opened by its token and completed in the same step, which is no attempt. */
  private String isDecision() {
    return "(%stoken = %s and %s = 2)".formatted(row, of("expected"), of("state"));
  }

  /**
   * The new values of all columns but the stamp, by their names. Those that look at other columns
   * come before what they look at, for databases that assign from left to right.
   */
  Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put(
        "attempt",
        "case when %s then 1 when %s or %sattempt = 2147483647 then %sattempt else %sattempt + 1 end"
            .formatted(isExpired(), isDecision(), row, row, row));
    values.put("token", "greatest(" + row + "token + 1, " + of("token") + ")");
    values.put(
        "created_ms",
        "case when %s then %s else %screated_ms end".formatted(isExpired(), of("created_ms"), row));
    values.put(
        "checkpoint",
        "case when %s or %sstate = 2 then null else %scheckpoint end"
            .formatted(isExpired(), row, row));
    values.put(
        "fingerprint",
        "case when %s then %s else coalesce(%s, %sfingerprint) end"
            .formatted(isExpired(), of("fingerprint"), of("fingerprint"), row));
    for (String column : TAKEN_AS_THEY_ARE) {
      values.put(column, of(column));
    }
    return values;
  }

  private String of(String column) {
    return item.replace("*", column);
  }

  /** The values as assignments. */
  String assignments() {
    return values().entrySet().stream()
        .map(it -> it.getKey() + " = " + it.getValue())
        .collect(Collectors.joining(", "));
  }
}
