package dev.onlyonce.app.output;

import dev.onlyonce.app.Failure;
import dev.onlyonce.app.input.Header;
import dev.onlyonce.app.input.RecordBatch;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What happens to records that cannot be handled, by the policy that an option such as {@code
 * --bad-record} names:
 *
 * <ul>
 *   <li>{@code fail}: such a record is told and left out; the run goes on, so that all of them are
 *       found at once, and fails at its end;
 *   <li>{@code pass}: it is told and let through, in its place in the output;
 *   <li>anything else is a file: it is told and set aside there.
 * </ul>
 *
 * <p>Only the first {@value #MOST_TOLD} are told one by one, with their place; all are counted. The
 * bytes are never changed nor held in memory. Not thread-safe.
 */
public final class Rejects {
  private static final int MOST_TOLD = 20;

  private final String option;
  private final String policy;
  private final Consumer<String> notices;
  private @Nullable RecordWriter target;
  private long count;

  /**
   * A policy that writes nowhere yet.
   *
   * @param option the option that names it, such as {@code --bad-record}
   * @param policy the option's value
   * @param notices is told the sentences for the user
   */
  public Rejects(String option, String policy, Consumer<String> notices) {
    this.option = option;
    this.policy = policy;
    this.notices = notices;
  }

  /** Opens the file, if the policy is one. Records that are let through go to {@code passTo}. */
  public void open(Outputs outputs, RecordWriter passTo) {
    if (policy.equals("pass")) {
      target = passTo;
    } else if (!fails()) {
      target = outputs.file(option, Path.of(policy));
    }
  }

  /** Writes the header line to the file, if the policy is one. */
  public void write(Header header) {
    if (target != null && !policy.equals("pass")) {
      target.write(header);
    }
  }

  /**
   * Takes a record that cannot be handled, or a part of one.
   *
   * @param problem what is wrong, as a sentence whose subject is "the record"
   */
  public void take(RecordBatch batch, int entry, String problem) {
    if (batch.part(entry).begins()) {
      count++;
      tell(batch.place(entry) + ": the record " + problem);
    }
    if (target != null) {
      target.write(batch, entry);
    }
  }

  /** How many records were taken. */
  public long count() {
    return count;
  }

  /** True if records are left out of all outputs. */
  public boolean fails() {
    return policy.equals("fail");
  }

  /**
   * To be called behind the last record.
   *
   * @throws Failure if records were left out
   */
  public void finish() {
    if (fails() && count > 0) {
      throw Failure.badInput(
          (count == 1 ? "1 record was" : count + " records were")
              + " left out for what is told above; "
              + option
              + " pass lets such records through, "
              + option
              + " FILE sets them aside");
    }
  }

  private void tell(String sentence) {
    if (count <= MOST_TOLD) {
      notices.accept(sentence);
    } else if (count == MOST_TOLD + 1) {
      notices.accept(sentence + "; more of these are only counted");
    }
  }
}
