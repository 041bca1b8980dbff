package dev.onlyonce.app.claims;

import dev.onlyonce.Key;
import dev.onlyonce.app.Quantity;
import dev.onlyonce.app.output.JsonLines;
import dev.onlyonce.spi.ClaimRecord;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Tells what has become of each key that an operator has acted on, and counts. */
public final class ActionReport implements AutoCloseable {

  private final Action action;
  private final Retention retention;
  private final boolean dryRun;
  private final long now;
  private final PrintWriter out;
  private final @Nullable JsonLines lines;
  private long changed;
  private long unchanged;
  private boolean isGuessed;

  /**
   * @param retention by which what is done is remembered
   * @param dryRun whether nothing is changed
   * @param json whether to write an object for each key
   * @param now milliseconds since the epoch
   */
  public ActionReport(
      Action action, Retention retention, boolean dryRun, boolean json, long now, PrintWriter out) {
    this.action = action;
    this.retention = retention;
    this.dryRun = dryRun;
    this.now = now;
    this.out = out;
    this.lines = json ? new JsonLines(out) : null;
  }

  /** A key was changed, or would be. */
  public void done(ClaimRecord record, long token) {
    changed++;
    boolean guessed = retention.isGuessed(action, record);
    isGuessed |= guessed;
    String was = "was " + Standing.of(record, now).words();
    if (lines != null) {
      lines.object(
          json -> {
            head(json, record);
            json.writeBooleanProperty("changed", !dryRun);
            json.writeBooleanProperty("dryRun", dryRun);
            json.writeStringProperty("was", Standing.of(record, now).words());
            if (!dryRun) {
              json.writeNumberProperty("token", token);
            }
            if (guessed) {
              json.writeStringProperty("warning", retention.warning(now));
            }
          });
    } else if (dryRun) {
      line(record, "would be " + action.outcome() + " (" + was + ")");
    } else {
      line(record, action.outcome() + " (" + was + "; new token " + token + ")");
    }
  }

  /** A key was left as it is. */
  public void refused(ClaimRecord record, String reason) {
    unchanged++;
    if (lines != null) {
      lines.object(
          json -> {
            head(json, record);
            json.writeBooleanProperty("changed", false);
            json.writeStringProperty("reason", reason);
          });
    } else {
      line(record, "not changed: it " + reason);
    }
  }

  /** More than one scope has a key. */
  public void ambiguous(Key key, List<ClaimRecord> found) {
    String scopes =
        found.stream().map(record -> record.scope().name()).collect(Collectors.joining(", "));
    notFound(key, key + " is in several scopes (" + scopes + "): say which with --scope");
  }

  /** There is no record of a key, or not one. */
  public void notFound(Key key, String sentence) {
    unchanged++;
    if (lines != null) {
      lines.object(
          json -> {
            json.writeStringProperty("key", key.toString());
            json.writeStringProperty("action", word());
            json.writeBooleanProperty("changed", false);
            json.writeStringProperty("reason", sentence);
          });
    } else {
      out.print(sentence + "\n");
    }
  }

  private void head(JsonGenerator json, ClaimRecord record) {
    json.writeStringProperty("scope", record.scope().name());
    RecordJson.writeKey(json, record);
    json.writeStringProperty("action", word());
  }

  private String word() {
    return action.name().toLowerCase(Locale.ROOT);
  }

  private void line(ClaimRecord record, String what) {
    out.print(record.key() + " in scope " + record.scope() + ": " + what + "\n");
  }

  /**
   * Sums up.
   *
   * @param nothing what there is to say if no key was meant
   */
  public void end(String nothing) {
    if (lines != null) {
      return;
    }
    if (changed + unchanged == 0) {
      out.print(nothing + "\n");
    } else {
      String verb = dryRun ? "would be " + action.past() + "; nothing was changed" : action.past();
      out.print(Quantity.of(changed, "key") + " " + verb + "\n");
      out.print(isGuessed ? retention.warning(now) + "\n" : "");
    }
  }

  /** Tells whether all keys that were named are as was asked for. */
  public boolean isComplete() {
    return unchanged == 0;
  }

  @Override
  public void close() {
    if (lines != null) {
      lines.close();
    }
    out.flush();
  }
}
